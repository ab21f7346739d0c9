import type { TimeRange } from '../../platform/platform/time.js';
import type { SqlValue } from '../../storage/database/dialect.js';
import type { Tx } from '../../storage/database/tx.js';
import { type Sample, traitsOf } from '../catalogue/records.js';
import type { Details, HealthDataRepository, Leftover, StoredRow, Stretch } from './health-data.repository.js';
import { observations, startOfPull } from './observations.repository.js';
import { isSame, isStillToCome, judgeSamples, type Look, type Sibling, type StoredSibling } from './order-rule.js';
import { fromTextValue, type Observation, textValueOf } from './record.entity.js';
import { type DayRule, type SamplesChange, SamplesChanges } from './samples-changes.js';
import { groupNumbers } from './series-index.repository.js';

/** Samples of one series from one observation, with the number of each sample's attributes. */
export interface SampleRows {
  readonly observation: Observation;
  readonly seriesId: number;
  readonly samples: readonly Sample[];
  readonly attributesIds: readonly number[];
  readonly dayRule: DayRule;
}

export interface SamplesWritten<Rows extends SampleRows> {
  readonly rows: Rows;
  /** Number of samples for which this observation is the newest. */
  readonly written: number;
  /** From the first to the last time at which observations disagree, both inclusive; null if none. */
  readonly conflict: TimeRange | null;
  /** Samples with new content; null if all were already stored with the same content. */
  readonly changed: SamplesChange | null;
}

/**
 * Writes samples under the order rule and returns the outcome of each entry of `all`. Reads the stored samples at their
 * times and writes only changes. No two entries may touch the same time of a series. `now` in epoch milliseconds.
 */
export async function writeSamples<Rows extends SampleRows>(
  repository: HealthDataRepository,
  tx: Tx,
  all: readonly Rows[],
  now: number,
): Promise<SamplesWritten<Rows>[]> {
  const stored = byPlace(await repository.samples(tx, all.flatMap(stretchesOf)));
  const groups = await groupNumbers(tx, all);
  const views = await viewsOf(repository, tx, { all, stored }, now);
  const writes: Writes = { rows: [], leftovers: [] };
  const outcomes = all.map((rows, place) => {
    return judge(rows, { groupIds: groups[place] ?? [], stored: stored[place] ?? [], view: views[place], writes });
  });
  await repository.writeSamples(tx, writes.rows, writes.leftovers);
  return outcomes;
}

/** A longer gap between samples ends a stretch, so that a stretch contains few other samples. */
const MAX_GAP_MS = 900_000;

function stretchesOf({ seriesId, samples }: SampleRows, place: number): Stretch[] {
  const stretches: Stretch[] = [];
  let start = samples[0]?.time ?? 0;
  let end = start;
  for (const { time } of samples) {
    if (time - end > MAX_GAP_MS) {
      stretches.push({ place, seriesId, start, end });
      start = time;
    }
    end = time;
  }
  stretches.push({ place, seriesId, start, end });
  return stretches;
}

/** Groups rows by place and sorts each group by time and sibling; PostgreSQL returns them in any order. */
function byPlace(rows: readonly StoredRow[]): StoredRow[][] {
  const found: StoredRow[][] = [];
  for (const row of rows) (found[row[0]] ??= []).push(row);
  for (const own of found) own?.sort((a, b) => a[1] - b[1] || a[8] - b[8]);
  return found;
}

/** The writes, in the form that the repository expects. */
interface Writes {
  readonly rows: SqlValue[];
  readonly leftovers: Leftover[];
}

interface Judging {
  readonly groupIds: readonly number[];
  /** Sorted by time. */
  readonly stored: readonly StoredRow[];
  /** Undefined if nothing is stored. */
  readonly view: View | undefined;
  readonly writes: Writes;
}

/** Judges the samples of each time together. */
function judge<Rows extends SampleRows>(rows: Rows, { groupIds, stored, view, writes }: Judging): SamplesWritten<Rows> {
  const { seriesId, samples, dayRule } = rows;
  let written = 0;
  const conflicts: number[] = [];
  const changes = new SamplesChanges(dayRule);
  let at = 0;
  for (let index = 0, next = 0; index < samples.length; index = next) {
    const { time } = samples[index] as Sample;
    for (next = index + 1; samples[next]?.time === time; ) next++;
    while (timeAt(stored, at) < time) at++;
    const before: StoredSibling[] = [];
    for (; view && timeAt(stored, at) === time; at++) before.push(siblingOf(stored[at] as StoredRow, view));
    const shown = siblingsOf(rows, groupIds, index, next);
    const { rows: siblings, conflict } =
      view && before.length > 0 ? judgeSamples(before, shown, view.look) : { rows: shown, conflict: false };
    if (conflict) conflicts.push(time);
    if (siblings === null) continue;
    written += shown.length;
    const change = { seriesId, time, siblings, stored: before.length };
    if (siblings.length !== before.length || !areStored(shown, before)) {
      put(writes, change);
      if (!haveSameContent(siblings, before)) changes.add(samples[index] as Sample, siblings.length, before.length);
    }
  }
  return { rows, written, conflict: rangeOf(conflicts), changed: changes.sum };
}

function timeAt(rows: readonly StoredRow[], at: number): number {
  return rows[at]?.[1] ?? Number.POSITIVE_INFINITY;
}

/** True if the same observation already stored them. */
function areStored(shown: readonly Sibling[], before: readonly StoredSibling[]): boolean {
  return shown.every((one) => before.some((row) => row.groupId === one.groupId && isSame(row, one)));
}

function haveSameContent(siblings: readonly Sibling[], before: readonly StoredSibling[]): boolean {
  return siblings.length === before.length && siblings.every((one) => before.some((row) => isSame(row, one)));
}

function rangeOf(times: readonly number[]): TimeRange | null {
  const [start, end] = [times[0], times.at(-1)];
  return start === undefined || end === undefined ? null : { start, end };
}

interface Change {
  readonly seriesId: number;
  readonly time: number;
  readonly siblings: readonly Sibling[];
  /** Number of stored rows. */
  readonly stored: number;
}

/** Replaces the samples at its time; siblings already stored keep their group. */
function put({ rows, leftovers }: Writes, { seriesId, time, siblings, stored }: Change): void {
  siblings.forEach((one, sibling) => {
    rows.push(seriesId, time, sibling, one.value, textValueOf(one), one.durationMs, one.groupId);
  });
  if (siblings.length < stored) leftovers.push({ seriesId, time, sibling: siblings.length });
}

function siblingsOf(
  { samples, attributesIds }: SampleRows,
  groupIds: readonly number[],
  from: number,
  end: number,
): Sibling[] {
  return samples.slice(from, end).map(({ value, value2, text, durationMs, attributes, details }, index) => {
    const [attributesId, groupId] = [attributesIds[from + index] as number, groupIds[from + index] as number];
    return { value, value2, text, durationMs, attributesId, groupId, details, traits: traitsOf(attributes) };
  });
}

/** Context for the order rule besides the stored rows. */
interface View {
  readonly look: Look;
  readonly now: number;
  readonly observation: Observation;
  /** The observations of rows that were observed after the response began, by id. */
  readonly origins: ReadonlyMap<number, Observation>;
  /** By attributes number. */
  readonly details: ReadonlyMap<number, Details>;
}

/** A view for each entry of `all` that has stored samples at its times; a hole for each of the others. */
async function viewsOf(
  repository: HealthDataRepository,
  tx: Tx,
  { all, stored }: { all: readonly SampleRows[]; stored: readonly (readonly StoredRow[])[] },
  now: number,
): Promise<View[]> {
  const looks = new Map<number, Look>();
  const later = new Set<number>();
  const attributes = new Set<number>();
  for (const [place, { observation }] of all.entries()) {
    const rows = stored[place] ?? [];
    if (rows.length === 0) continue;
    const look = looks.get(observation.id) ?? (await lookOf(tx, observation));
    looks.set(observation.id, look);
    for (const row of rows) {
      attributes.add(row[6]);
      if (row[7] > look.since) later.add(row[7]);
    }
  }
  const details = await repository.details(tx, [...attributes]);
  const origins = await observations(tx, [...later]);
  const views: View[] = [];
  for (const [place, { observation }] of all.entries()) {
    const look = looks.get(observation.id);
    if (look) views[place] = { look, now, observation, origins, details };
  }
  return views;
}

async function lookOf(tx: Tx, observation: Observation): Promise<Look> {
  const { id, kind, page } = observation;
  const since = kind === 'sync' && page !== null && page > 0 ? await startOfPull(tx, observation) : id;
  return { observation: id, kind, since };
}

function siblingOf(row: StoredRow, { look, now, observation, origins, details }: View): StoredSibling {
  const [, , value, textValue, durationMs, groupId, attributesId, seenBy] = row;
  const origin = seenBy > look.since ? origins.get(seenBy) : undefined;
  return {
    value,
    ...fromTextValue(value, textValue),
    durationMs,
    attributesId,
    groupId,
    ...(details.get(attributesId) ?? noDetails),
    observation: seenBy,
    kind: origin?.kind ?? 'sync',
    isStillToCome: isStillToCome(seenBy, now),
    sameAnswer: seenBy === look.since || seenBy === look.observation || isEarlierPage(origin, observation),
  };
}

const noDetails: Details = { details: { deviceId: '', workoutId: '', sport: '' }, traits: '' };

/** A page fetched again after a crash is not a sibling of its first attempt. */
function isEarlierPage(stored: Observation | undefined, { kind, ref, page }: Observation): boolean {
  return stored?.kind === kind && stored.ref === ref && (stored.page ?? 0) < (page ?? 0);
}
