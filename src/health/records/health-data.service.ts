import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { hasFloatingTime } from '../../accounts/connections/provider-facts.js';
import { Clock } from '../../platform/platform/clock.js';
import { DAY_MS, MAX_AHEAD_MS, type TimeRange } from '../../platform/platform/time.js';
import type { ChangedSamples, ChangeOrigin, NewChange } from '../../storage/change-log/change.js';
import { noteChanges } from '../../storage/change-log/note-changes.js';
import type { Tx } from '../../storage/database/tx.js';
import { rangeOfSummaries } from '../catalogue/catalogue.js';
import type { Records } from '../catalogue/records.js';
import { ChangedDays } from '../clock/changed-days.service.js';
import { shiftOf } from '../clock/local-slots.js';
import { HealthDataRepository, type OwnedSummary, type SummaryRow } from './health-data.repository.js';
import { type OwnedRows, withoutHiddenSamples, withoutHiddenSummaries } from './hidden-records.js';
import { observe } from './observations.repository.js';
import { isStillToCome, isSummaryConflict, judgeSummary } from './order-rule.js';
import type { Observation, Provenance } from './record.entity.js';
import { SeriesIndex, type SeriesRef } from './series-index.repository.js';
import { withoutThinnedHours } from './thinned-hours.repository.js';
import { writeSamples } from './write-samples.js';

/** A range of one source in which two observations disagree; epoch milliseconds, both ends inclusive. */
export interface ConflictRange {
  readonly provider: string;
  readonly start: number;
  readonly end: number;
}

export interface Applied {
  /** Number of records for which this observation is the newest; the others were observed later. */
  readonly written: number;
  /** Time of the newest record of the observation, even if it was already stored; future times are ignored. */
  readonly newest: number | null;
  /** Ranges to pull again; see order-rule.ts. */
  readonly conflicts: readonly ConflictRange[];
  /** Providers of new series. New summary sources are not reported; the next poll schedules them. */
  readonly newSources: readonly string[];
}

/**
 * The only writer of records, for messages, pages and replays. Applying is idempotent on the natural key, and the
 * same observations in any order give the same stored records.
 */
@Injectable()
export class HealthDataService {
  constructor(
    private readonly repository: HealthDataRepository,
    private readonly seriesIndex: SeriesIndex,
    private readonly clock: Clock,
    private readonly days: ChangedDays,
  ) {}

  /**
   * Stores an observation, even one without records. Idempotent for the same message, or the same page of a task at the
   * same instant.
   */
  async observe(tx: Tx, provenance: Provenance): Promise<void> {
    await observe(tx, [{ ...provenance, times: null }]);
  }

  /**
   * Writes the records of one account under the order rule. If the database fails, rejects with its error and writes
   * nothing.
   */
  async apply(tx: Tx, shown: ShownRecords): Promise<Applied> {
    const [applied] = await this.applyTogether(tx, [shown]);
    return applied as Applied;
  }

  /**
   * Applies a batch in few statements, with the same result as applying its entries one after the other. Returns one
   * outcome per entry. A batch must not contain two pages of one pull.
   */
  async applyTogether(tx: Tx, shown: readonly ShownRecords[]): Promise<readonly Applied[]> {
    if (shown.length === 0) return [];
    await tx.lock('account', ...shown.map(({ account }) => account));
    const observations = await observe(
      tx,
      shown.map(({ provenance, records }) => ({ ...provenance, times: timesOf(records) })),
    );
    const now = this.clock.now();
    const series = await this.seriesIndex.numbersOf(
      tx,
      shown.map(({ account, records: { resource, samples } }) => ({ account, resource: resource.name, samples })),
      now,
    );
    const all = shown.map((one, place) => new Entry(one, observations[place] as Observation, series[place] ?? []));
    const changes: NewChange[] = [];
    for (const apart of withoutMeetings(all)) {
      await this.applySamples(tx, apart, now, changes);
      await this.applySummaries(tx, apart, now, changes);
    }
    await noteChanges(tx, changes, now);
    return all.map((entry) => entry.applied(now));
  }

  /**
   * Records when messages last delivered data of each provider, in epoch milliseconds. Must be the last write of a
   * transaction, because it blocks other transactions that write the same provider.
   */
  async noteDeliveries(tx: Tx, receipts: ReadonlyMap<string, number>): Promise<void> {
    await this.repository.noteDeliveries(tx, receipts);
  }

  private async applySamples(tx: Tx, all: readonly Entry[], now: number, changes: NewChange[]): Promise<void> {
    const shown = all.flatMap((entry) => entry.samples());
    const { kept, refused } = await withoutHiddenSamples(tx, await withoutThinnedHours(tx, shown, now), now);
    for (const [{ entry, provider }, range] of refused) entry.add(0, [{ provider, ...range }]);
    // Writes neighbouring rows of the table together.
    const rows = all.length > 1 ? kept.toSorted((a, b) => a.seriesId - b.seriesId) : kept;
    for (const { rows: own, written, conflict, changed } of await writeSamples(this.repository, tx, rows, now)) {
      const { entry, provider, account, dayRule, sourceType: source_type } = own;
      entry.add(written, conflict ? [{ provider, ...conflict }] : []);
      if (!changed) continue;
      const { areNew, ...unplaced } = changed;
      const samples = await this.days.placed(tx, { account, provider, source_type, shift: dayRule.shift }, unplaced);
      changes.push(samplesChange(entry.shown, own, areNew, samples));
    }
  }

  private async applySummaries(tx: Tx, all: readonly Entry[], now: number, changes: NewChange[]): Promise<void> {
    const summaries = all.flatMap((entry) => entry.summaries());
    const rows = await this.repository.summaries(tx, summaries);
    const stored = new Map(rows.map((row) => [row.slice(0, 3).join(' '), row]));
    const unknown = summaries.filter((one) => !stored.has(nameOfSummary(one)));
    const { refused, kept } = await withoutHiddenSummaries(tx, unknown, now);
    for (const one of refused) one.entry.add(0, [rangeOfSummary(one)]);
    const writable = new Set(kept);
    const newer = summaries.filter((one) => {
      const row = stored.get(nameOfSummary(one));
      if (!row && !writable.has(one)) return false;
      const incoming = { version: one.summary.version, observation: one.observation.id };
      const isNewer = judgeSummary(row ? versionOf(row, now) : null, incoming);
      one.entry.add(isNewer ? 1 : 0, summaryConflicts(one, row, now));
      if (isNewer && !(row && hasSameContent(row, one))) changes.push(summaryChange(one.entry.shown, one, !row));
      return isNewer;
    });
    await this.repository.writeSummaries(tx, newer);
  }
}

/** The data of one account in an observation. */
export interface ShownRecords {
  /** `accounts.id`. */
  readonly account: number;
  readonly records: Records;
  readonly provenance: Provenance;
  /** Origin shown to consumers of changes; default `live`. */
  readonly origin?: ChangeOrigin;
}

/** The samples of one series in an entry. */
interface EntrySamples extends OwnedRows {
  readonly thinnedUntil: number | null;
  readonly entry: Entry;
  readonly provider: string;
  readonly sourceType: string;
}

type EntrySummary = OwnedSummary & { readonly entry: Entry };

/** One observation of a batch with its numbers, and what became of its records so far. */
class Entry {
  private written = 0;
  private readonly conflicts: ConflictRange[] = [];

  constructor(
    readonly shown: ShownRecords,
    private readonly observation: Observation,
    private readonly series: readonly SeriesRef[],
  ) {}

  samples(): EntrySamples[] {
    const { account, records } = this.shown;
    const { name: resource } = records.resource;
    const shift = shiftOf(records.resource);
    return this.series.map(({ key: { provider, sourceType }, id: seriesId, samples, attributesIds, ...until }) => {
      const owner = { entry: this, account, resource, provider, sourceType, observation: this.observation };
      return {
        ...owner,
        seriesId,
        samples,
        attributesIds,
        goneUntil: until.goneUntil,
        thinnedUntil: until.thinnedUntil,
        dayRule: { isFloating: hasFloatingTime(provider), shift },
      };
    });
  }

  summaries(): EntrySummary[] {
    const { account, records } = this.shown;
    const { resource } = records;
    return records.summaries.map((summary) => ({
      entry: this,
      account,
      resource,
      summary,
      observation: this.observation,
    }));
  }

  add(written: number, conflicts: readonly ConflictRange[]): void {
    this.written += written;
    this.conflicts.push(...conflicts);
  }

  applied(now: number): Applied {
    const { written, conflicts } = this;
    const newSources = this.series.filter(({ created }) => created).map(({ key }) => key.provider);
    return {
      written,
      conflicts,
      newest: newestOf(this.shown.records, now + MAX_AHEAD_MS),
      newSources: [...new Set(newSources)],
    };
  }
}

/**
 * Splits a batch into parts within which no two observations share a summary or have samples of one resource with
 * overlapping times. An observation that meets an earlier one is in a later part.
 */
function withoutMeetings(all: readonly Entry[]): Entry[][] {
  const parts: Entry[][] = [];
  for (const one of all) {
    const part = parts.findLastIndex((others) => others.some((other) => meet(one.shown, other.shown))) + 1;
    (parts[part] ??= []).push(one);
  }
  return parts;
}

function meet(one: ShownRecords, other: ShownRecords): boolean {
  if (one.account !== other.account || one.records.resource !== other.records.resource) return false;
  const [a, b] = [timesOf(one.records), timesOf(other.records)];
  if (a && b && a.start <= b.end && b.start <= a.end) return true;
  const ids = new Set(other.records.summaries.map(({ summaryId }) => summaryId));
  return one.records.summaries.some(({ summaryId }) => ids.has(summaryId));
}

function nameOfSummary({ account, resource, summary }: Pick<OwnedSummary, 'account' | 'resource' | 'summary'>): string {
  return `${account} ${resource.name} ${summary.summaryId}`;
}

/** The range to pull if it is uncertain which of two summaries is newer. */
function summaryConflicts(one: OwnedSummary, row: SummaryRow | undefined, now: number): ConflictRange[] {
  if (!row) return [];
  const { summary, observation } = one;
  const [, , , , , kind, storedRaw] = row;
  if (storedRaw === null) return [];
  const sameContent = isSameJson(storedRaw, summary.raw);
  const stored = { ...versionOf(row, now), kind, sameContent };
  const incoming = { version: summary.version, observation: observation.id, kind: observation.kind };
  return isSummaryConflict(stored, incoming) ? [rangeOfSummary(one)] : [];
}

function versionOf([, , , version, observation]: SummaryRow, now: number) {
  return { version, observation, isStillToCome: isStillToCome(observation, now) };
}

/** True if the summary would replace one with the same content. */
function hasSameContent(row: SummaryRow, { resource, summary }: OwnedSummary): boolean {
  const [, , , version, , , , rawOfSame, length] = row;
  if (resource.family === 'stream') return version === summary.version && length === summary.raw.length;
  return rawOfSame !== null && isSameJson(rawOfSame, summary.raw);
}

function samplesChange(
  { account, records, origin = 'live' }: ShownRecords,
  { seriesId, provider }: { readonly seriesId: number; readonly provider: string },
  areNew: boolean,
  samples: ChangedSamples,
): NewChange {
  const resource = records.resource.name;
  const action = areNew ? 'created' : 'changed';
  return { kind: 'samples', action, origin, account, subject: String(seriesId), resource, provider, samples };
}

function summaryChange(
  { account, records, origin = 'live' }: ShownRecords,
  { summary: { summaryId: subject, provider } }: OwnedSummary,
  isNew: boolean,
): NewChange {
  const resource = records.resource.name;
  return { kind: 'summary', action: isNew ? 'created' : 'changed', origin, account, subject, resource, provider };
}

/** The time range of all summaries of its day. */
function rangeOfSummary({ summary: { provider, time } }: OwnedSummary): ConflictRange {
  const range = rangeOfSummaries(time - (time % DAY_MS));
  return { provider: provider === 'unknown' ? '' : provider, ...range };
}

/** Ignores the order of fields. */
function isSameJson(one: string, other: string): boolean {
  return one === other || isDeepStrictEqual(JSON.parse(one), JSON.parse(other));
}

/** From the first to the last time of the samples. */
function timesOf({ samples }: Records): TimeRange | null {
  const start = Math.min(...samples.map((batch) => batch.samples[0]?.time ?? Number.POSITIVE_INFINITY));
  const end = Math.max(...samples.map((batch) => batch.samples.at(-1)?.time ?? Number.NEGATIVE_INFINITY));
  return start <= end ? { start, end } : null;
}

function newestOf({ samples, summaries }: Records, atMost: number): number | null {
  const last = samples.map((batch) => batch.samples.findLast(({ time }) => time <= atMost)?.time ?? -Infinity);
  const newest = Math.max(...last, ...summaries.map(({ time }) => time).filter((time) => time <= atMost));
  return Number.isFinite(newest) ? newest : null;
}
