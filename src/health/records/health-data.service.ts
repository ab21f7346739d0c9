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
import { withoutHiddenSamples, withoutHiddenSummaries } from './hidden-records.js';
import { observe } from './observations.repository.js';
import { isStillToCome, isSummaryConflict, judgeSummary } from './order-rule.js';
import type { Observation, Provenance } from './record.entity.js';
import { SeriesIndex, type SeriesRef } from './series-index.repository.js';
import { type SamplesWritten, writeSamples } from './write-samples.js';

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
    const unnumbered = shown.map(({ account, records }) => {
      return { account, resource: records.resource.name, samples: records.samples };
    });
    const numbers = await this.seriesIndex.numbersOf(tx, unnumbered, now);
    const all = shown.map((one, place): Numbered => {
      return { ...one, observation: observations[place] as Observation, series: numbers[place] ?? [] };
    });
    const applied = new Map<Numbered, Pick<Applied, 'written' | 'conflicts'>>();
    const changes: NewChange[] = [];
    for (const apart of withoutMeetings(all)) {
      const samples = await this.applySamples(tx, apart, now, changes);
      const summaries = await this.applySummaries(tx, apart, now, changes);
      apart.forEach((one, place) => {
        const [a, b] = [samples[place] as Written, summaries[place] as Written];
        applied.set(one, { written: a.written + b.written, conflicts: [...a.conflicts, ...b.conflicts] });
      });
    }
    await noteChanges(tx, changes, now);
    return all.map((one) => {
      const { written, conflicts } = applied.get(one) as Written;
      return { written, conflicts, newest: newestOf(one.records, now + MAX_AHEAD_MS), newSources: newSourcesOf(one) };
    });
  }

  /**
   * Records when messages last delivered data of each provider, in epoch milliseconds. Must be the last write of a
   * transaction, because it blocks other transactions that write the same provider.
   */
  async noteDeliveries(tx: Tx, receipts: ReadonlyMap<string, number>): Promise<void> {
    await this.repository.noteDeliveries(tx, receipts);
  }

  private async applySamples(tx: Tx, all: readonly Numbered[], now: number, changes: NewChange[]): Promise<Written[]> {
    const shown = all.flatMap(({ account, observation, records, series }, place) =>
      records.samples.map(({ key, samples }, index) => {
        const { id: seriesId, attributesIds, goneUntil } = series[index] as SeriesRef;
        const { resource } = records;
        const dayRule = { isFloating: hasFloatingTime(key.provider), shift: shiftOf(resource) };
        const owner = { account, resource: resource.name, goneUntil, dayRule, sourceType: key.sourceType };
        return { place, provider: key.provider, observation, seriesId, samples, attributesIds, ...owner };
      }),
    );
    const sums = all.map(() => new Sum());
    const { kept, refused } = await withoutHiddenSamples(tx, shown, now);
    for (const [index, range] of refused.entries()) {
      const { place, provider } = shown[index] as (typeof shown)[number];
      if (range) sums[place]?.add(0, [{ provider, ...range }]);
    }
    const rows = kept.filter((one) => one !== null);
    // Writes neighbouring rows of the table together.
    if (all.length > 1) rows.sort((a, b) => a.seriesId - b.seriesId);
    const outcomes = await writeSamples(this.repository, tx, rows, now);
    for (const [index, row] of rows.entries()) {
      const { place, provider, account, dayRule, sourceType: source_type } = row;
      const { written, conflict, changed } = outcomes[index] as SamplesWritten;
      sums[place]?.add(written, conflict ? [{ provider, ...conflict }] : []);
      if (!changed) continue;
      const { areNew, ...unplaced } = changed;
      const samples = await this.days.placed(tx, { account, provider, source_type, shift: dayRule.shift }, unplaced);
      changes.push(samplesChange(all[place] as Numbered, row, areNew, samples));
    }
    return sums;
  }

  private async applySummaries(
    tx: Tx,
    all: readonly Numbered[],
    now: number,
    changes: NewChange[],
  ): Promise<Written[]> {
    const summaries = all.flatMap(({ account, records: { resource, summaries: own }, observation }, place) =>
      own.map((summary): OwnedSummary & { place: number } => ({ place, account, resource, summary, observation })),
    );
    const rows = await this.repository.summaries(tx, summaries);
    const stored = new Map(rows.map((row) => [row.slice(0, 3).join(' '), row]));
    const sums = all.map(() => new Sum());
    const unknown = summaries.filter((one) => !stored.has(nameOfSummary(one)));
    const { refused, kept } = await withoutHiddenSummaries(tx, unknown, now);
    for (const one of refused) sums[one.place]?.add(0, [rangeOfSummary(one)]);
    const writable = new Set(kept);
    const newer = summaries.filter((one) => {
      if (!stored.has(nameOfSummary(one)) && !writable.has(one)) return false;
      const row = stored.get(nameOfSummary(one));
      const incoming = { version: one.summary.version, observation: one.observation.id };
      const isNewer = judgeSummary(row ? versionOf(row, now) : null, incoming);
      sums[one.place]?.add(isNewer ? 1 : 0, summaryConflicts(one, row, now));
      if (isNewer && !(row && hasSameContent(row, one)))
        changes.push(summaryChange(all[one.place] as Numbered, one, !row));
      return isNewer;
    });
    await this.repository.writeSummaries(tx, newer);
    return sums;
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

interface Numbered extends ShownRecords {
  readonly observation: Observation;
  /** The series of each batch of samples. */
  readonly series: readonly SeriesRef[];
}

type Written = Pick<Applied, 'written' | 'conflicts'>;

class Sum implements Written {
  written = 0;
  readonly conflicts: ConflictRange[] = [];

  add(written: number, conflicts: readonly ConflictRange[]): void {
    this.written += written;
    this.conflicts.push(...conflicts);
  }
}

/**
 * Splits a batch into parts within which no two observations share a summary or have samples of one resource with
 * overlapping times. An observation that meets an earlier one is in a later part.
 */
function withoutMeetings(all: readonly Numbered[]): Numbered[][] {
  const parts: Numbered[][] = [];
  for (const one of all) {
    const part = parts.findLastIndex((others) => others.some((other) => meet(one, other))) + 1;
    (parts[part] ??= []).push(one);
  }
  return parts;
}

function meet(one: Numbered, other: Numbered): boolean {
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

function newSourcesOf({ records, series }: Numbered): string[] {
  return [...new Set(records.samples.flatMap(({ key }, index) => (series[index]?.created ? [key.provider] : [])))];
}
