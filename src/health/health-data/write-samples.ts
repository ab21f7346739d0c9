import type { TimeRange } from '../../platform/platform/time.js';
import type { SqlValue } from '../../storage/database/dialect.js';
import type { Tx } from '../../storage/database/tx.js';
import type { Sample, SourceDetails } from '../catalogue/records.js';
import type { HealthDataRepository, Leftover, Own, Replaceable, StoredRow, Stretch } from './health-data.repository.js';
import { isSame, isStillToCome, judgeSamples, type Look, type Sibling, type StoredSibling } from './order-rule.js';
import { fromTextValue, type Observation, type Observed, textValueOf } from './record.entity.js';
import { groupNumbers } from './series-index.repository.js';

/** Samples of one series that one observation shows, with the number of each one's attributes. */
export interface SampleRows {
  readonly observation: Observed;
  readonly seriesId: number;
  readonly samples: readonly Sample[];
  readonly attributesIds: readonly number[];
}

/** The same with the number of each one's group. */
interface GroupedRows extends SampleRows {
  readonly groupIds: readonly number[];
}

export interface SamplesWritten {
  /** Rows that this observation is the newest of. */
  readonly written: number;
  /** From the first to the last time at which two observations disagree. */
  readonly conflict: TimeRange | null;
}

/**
 * Writes samples under the order rule and answers for each of `all` what became of it. What is stored at their times is
 * read and compared, and only what changes is written; no two of `all` may touch the same time of a series. A page need
 * not be compared where all that is stored is older and alike, as it replaces that. `now` in epoch milliseconds.
 */
export async function writeSamples(
  repository: HealthDataRepository,
  tx: Tx,
  all: readonly SampleRows[],
  now: number,
): Promise<SamplesWritten[]> {
  const done = await writtenBefore(repository, tx, all);
  const stored = await storedOf(repository, tx, { all, done });
  const toWrite = all.filter((_, place) => !done.has(place));
  const groups = await groupNumbers(tx, toWrite);
  const grouped = new Map(toWrite.map((rows, index) => [rows, { ...rows, groupIds: groups[index] ?? [] }]));
  const writes = new Writes();
  const open: AtOneTime[] = [];
  const written = all.map((rows, place) => {
    const own = grouped.get(rows);
    return own ? writePlain(own, stored[place] ?? [], { writes, open, place }) : rows.samples.length;
  });
  const conflicts = all.map((): number[] => []);
  const views = await viewsOf(repository, tx, { all, open }, now);
  for (const { place, time, shown, before } of open) {
    const rows = all[place] as SampleRows;
    const view = views(rows.observation);
    const known = before.map((row) => siblingOf(row, view));
    const verdict = judgeSamples(known, shown, view.look);
    if (verdict.conflict) conflicts[place]?.push(time);
    if (verdict.rows === null) continue;
    written[place] = (written[place] as number) + shown.length;
    if (verdict.rows.length === known.length && shown.every((one) => isStored(one, known, view.look))) continue;
    writes.replace(rows.seriesId, { time, siblings: verdict.rows, stored: known.length });
  }
  await repository.writeSamples(tx, writes.rows, writes.leftovers);
  return all.map((_, place) => ({ written: written[place] as number, conflict: rangeOf(conflicts[place] ?? []) }));
}

function rangeOf(times: readonly number[]): TimeRange | null {
  const [start, end] = [times[0], times.at(-1)];
  return start === undefined || end === undefined ? null : { start, end };
}

/** A gap between samples that is longer ends a stretch, so that few others lie in one, however far apart they are. */
const LONGEST_GAP_MS = 900_000;

/** Those of which every sample is stored by the same observation, so that there is nothing to do. */
async function writtenBefore(
  repository: HealthDataRepository,
  tx: Tx,
  all: readonly SampleRows[],
): Promise<Set<number>> {
  const again: Own[] = [];
  for (const [place, rows] of all.entries()) {
    const attributesId = rows.observation.again ? attributesOfAll(rows) : null;
    const durationMs = rows.samples[0]?.durationMs ?? null;
    if (attributesId === null || !rows.samples.every((one) => isNumber(one, durationMs))) continue;
    const observation = rows.observation.id;
    again.push(...stretchesOf(rows, place).map((one) => ({ ...one, observation, attributesId, durationMs })));
  }
  const done = new Set<number>();
  byPlace(await repository.own(tx, again)).forEach((rows, place) => {
    const samples = all[place]?.samples ?? [];
    const isAll = samples.length === rows.length;
    if (isAll && samples.every(({ time, value }, index) => rows[index]?.[1] === time && rows[index]?.[2] === value)) {
      done.add(place);
    }
  });
  return done;
}

function isNumber({ value, value2, text, durationMs }: Sample, shared: number | null): boolean {
  return value !== null && value2 === null && text === null && durationMs === shared;
}

/** What has to be compared of what is stored, by the place of the rows that show it. */
async function storedOf(
  repository: HealthDataRepository,
  tx: Tx,
  { all, done }: { all: readonly SampleRows[]; done: ReadonlySet<number> },
): Promise<StoredRow[][]> {
  const stretches: Stretch[] = [];
  const ofPages: Replaceable[] = [];
  for (const [place, rows] of all.entries()) {
    if (done.has(place)) continue;
    const found = stretchesOf(rows, place);
    const attributesId = rows.observation.kind === 'sync' ? attributesOfAll(rows) : null;
    if (attributesId === null) stretches.push(...found);
    else ofPages.push(...found.map((one) => ({ ...one, observation: rows.observation.id, attributesId })));
  }
  const toCompare = await repository.irreplaceable(tx, ofPages);
  stretches.push(...ofPages.filter(({ place }) => toCompare.has(place)));
  return byPlace(await repository.samples(tx, stretches));
}

type Placed = readonly [place: number, time: number, ...rest: unknown[]];

/** Rows by their place, those of each by time. */
function byPlace<T extends Placed>(rows: readonly T[]): T[][] {
  const found: T[][] = [];
  for (const row of rows) (found[row[0]] ??= []).push(row);
  found.forEach((own) => {
    if (!isByTime(own)) own.sort((a, b) => a[1] - b[1]);
  });
  return found;
}

function stretchesOf({ seriesId, samples }: SampleRows, place: number): Stretch[] {
  const stretches: Stretch[] = [];
  let start = samples[0]?.time ?? 0;
  let end = start;
  for (const { time } of samples) {
    if (time - end > LONGEST_GAP_MS) {
      stretches.push({ place, seriesId, start, end });
      start = time;
    }
    end = time;
  }
  stretches.push({ place, seriesId, start, end });
  return stretches;
}

/** The attributes that all have; null where they differ, or two are of one time. */
function attributesOfAll({ samples, attributesIds }: SampleRows): number | null {
  const [first] = attributesIds;
  for (let index = 1; index < samples.length; index++) {
    if (attributesIds[index] !== first || samples[index]?.time === samples[index - 1]?.time) return null;
  }
  return first ?? null;
}

function isByTime(rows: readonly Placed[]): boolean {
  for (let index = 1; index < rows.length; index++) {
    if ((rows[index] as Placed)[1] < (rows[index - 1] as Placed)[1]) return false;
  }
  return true;
}

/** What is to be written, in the form of the repository. */
class Writes {
  readonly rows: SqlValue[] = [];
  readonly leftovers: Leftover[] = [];

  add({ seriesId, samples, groupIds }: GroupedRows, index: number, sibling: number): void {
    const sample = samples[index] as Sample;
    const { time, value, durationMs } = sample;
    this.rows.push(seriesId, time, sibling, value, textValueOf(sample), durationMs, groupIds[index] as number);
  }

  /** Puts a set in place of the one of its time; stored siblings in it keep their group. */
  replace(
    seriesId: number,
    { time, siblings, stored }: { time: number; siblings: readonly Sibling[]; stored: number },
  ): void {
    siblings.forEach((one, sibling) => {
      this.rows.push(seriesId, time, sibling, one.value, textValueOf(one), one.durationMs, one.groupId);
    });
    if (siblings.length < stored) this.leftovers.push({ seriesId, time, sibling: siblings.length });
  }
}

/** A time at which something is stored that has to be judged. */
interface AtOneTime {
  readonly place: number;
  readonly time: number;
  readonly shown: readonly Sibling[];
  readonly before: readonly StoredRow[];
}

/**
 * Writes what is new, passes over what this observation has written before and adds the rest to `open`. Answers how
 * many rows the observation is the newest of so far. Both lists are by rising time.
 */
function writePlain(
  rows: GroupedRows,
  stored: readonly StoredRow[],
  { writes, open, place }: { writes: Writes; open: AtOneTime[]; place: number },
): number {
  const { samples } = rows;
  let written = 0;
  let at = 0;
  for (let index = 0, next = 0; index < samples.length; index = next) {
    const { time } = samples[index] as Sample;
    for (next = index + 1; samples[next]?.time === time; ) next++;
    while (at < stored.length && (stored[at] as StoredRow)[1] < time) at++;
    let past = at;
    while (past < stored.length && (stored[past] as StoredRow)[1] === time) past++;
    const isPlain =
      past === at || (past === at + 1 && next === index + 1 && isOwn(stored[at] as StoredRow, rows, index));
    if (past === at) for (let one = index; one < next; one++) writes.add(rows, one, one - index);
    if (isPlain) written += next - index;
    else open.push({ place, time, shown: siblingsOf(rows, index, next), before: stored.slice(at, past) });
    at = past;
  }
  return written;
}

/** The same sample, of the same observation. */
function isOwn(row: StoredRow, { samples, groupIds }: GroupedRows, index: number): boolean {
  const sample = samples[index] as Sample;
  return (
    row[5] === groupIds[index] &&
    row[2] === sample.value &&
    row[4] === sample.durationMs &&
    row[3] === textValueOf(sample)
  );
}

function siblingsOf({ samples, attributesIds, groupIds }: GroupedRows, from: number, end: number): Sibling[] {
  return samples.slice(from, end).map(({ value, value2, text, durationMs, details }, index) => {
    const [attributesId, groupId] = [attributesIds[from + index] as number, groupIds[from + index] as number];
    return { value, value2, text, durationMs, attributesId, groupId, details };
  });
}

/** Written a moment ago, or when the same observation was applied before. */
function isStored(one: Sibling, before: readonly StoredSibling[], look: Look): boolean {
  return before.some((row) => row.observation === look.observation && isSame(row, one));
}

/** What the rule must know of what is stored, beside the rows themselves. */
interface View {
  readonly look: Look;
  readonly now: number;
  readonly observation: Observation;
  /** Of the rows that were seen after the answer began. */
  readonly origins: ReadonlyMap<number, Observation>;
  /** By the number of the attributes. */
  readonly details: ReadonlyMap<number, SourceDetails>;
}

/** The view of each observation that shows something `open`. */
async function viewsOf(
  repository: HealthDataRepository,
  tx: Tx,
  { all, open }: { all: readonly SampleRows[]; open: readonly AtOneTime[] },
  now: number,
): Promise<(observation: Observation) => View> {
  const looks = new Map<number, Look>();
  const details = new Map<number, SourceDetails>();
  const later = new Set<number>();
  for (const { place, shown } of open) {
    const { observation } = all[place] as SampleRows;
    if (!looks.has(observation.id)) looks.set(observation.id, await lookOf(repository, tx, observation));
    for (const one of shown) details.set(one.attributesId, one.details);
  }
  const others = new Set<number>();
  for (const { place, before } of open) {
    const since = looks.get((all[place] as SampleRows).observation.id)?.since ?? 0;
    for (const row of before) {
      if (row[7] > since) later.add(row[7]);
      if (!details.has(row[6])) others.add(row[6]);
    }
  }
  for (const [attributes, theirs] of await repository.details(tx, [...others])) details.set(attributes, theirs);
  const origins = await repository.observations(tx, [...later]);
  return (observation) => ({ look: looks.get(observation.id) as Look, now, observation, origins, details });
}

async function lookOf(repository: HealthDataRepository, tx: Tx, observation: Observation): Promise<Look> {
  const { id, kind, page } = observation;
  const since = kind === 'sync' && page !== null && page > 0 ? await repository.startOfPull(tx, observation) : id;
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
    details: details.get(attributesId) ?? noDetails,
    observation: seenBy,
    kind: origin?.kind ?? 'sync',
    isStillToCome: isStillToCome(seenBy, now),
    sameAnswer: seenBy === look.since || seenBy === look.observation || isEarlierPage(origin, observation),
  };
}

const noDetails: SourceDetails = { deviceId: '', workoutId: '', sport: '' };

/** A page that is fetched again, after a crash, is not what an answer showed beside its first try. */
function isEarlierPage(stored: Observation | undefined, { kind, ref, page }: Observation): boolean {
  return stored?.kind === kind && stored.ref === ref && (stored.page ?? 0) < (page ?? 0);
}
