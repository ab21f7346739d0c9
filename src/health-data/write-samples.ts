import type { Sample, SourceDetails } from '../catalogue/records.js';
import type { Tx } from '../database/tx.js';
import type { TimeRange } from '../platform/time.js';
import type { HealthDataRepository, SampleRows, SampleSet, StoredRow } from './health-data.repository.js';
import { isSame, isStillToCome, judgeSamples, type Look, type Sibling, type StoredSibling } from './order-rule.js';
import type { Observation } from './record.entity.js';

export interface SamplesWritten {
  /** Rows that this observation is the newest of. */
  readonly written: number;
  /** From the first to the last time at which two observations disagree. */
  readonly conflict: TimeRange | null;
}

/**
 * Writes samples of one series under the order rule. Nearly every sample is alone at its time, and those are written by
 * one statement: a message brings news, a page brings what is new or has kept its attributes. Only what that statement
 * left, and times with siblings, are compared with what is stored. `now` in epoch milliseconds.
 */
export async function writeSamples(
  repository: HealthDataRepository,
  tx: Tx,
  rows: SampleRows,
  { observation, now }: { observation: Observation; now: number },
): Promise<SamplesWritten> {
  const { samples } = rows;
  if (samples.length === 0) return { written: 0, conflict: null };
  const byMessage = observation.kind === 'message';
  const apart = timesWithSiblings(samples);
  if (!byMessage)
    for (const time of await repository.siblingTimes(tx, rows.seriesId, rangeOf(samples))) apart.add(time);
  const alone = apart.size === 0 ? rows : without(rows, apart);
  const written = byMessage
    ? await repository.insertSamples(tx, alone, observation)
    : await repository.upsertSamples(tx, alone, observation);
  if (written === samples.length) return { written, conflict: null };
  const stored = byMessage
    ? await repository.samplesAt(tx, rows.seriesId, samples)
    : await repository.samplesWithin(tx, rows.seriesId, rangeOf(samples));
  return compareAndWrite(repository, tx, { rows, stored, now }, observation);
}

function rangeOf(samples: readonly Sample[]): TimeRange {
  return { start: (samples[0] as Sample).time, end: (samples.at(-1) as Sample).time };
}

function timesWithSiblings(samples: readonly Sample[]): Set<number> {
  const times = new Set<number>();
  for (let index = 1; index < samples.length; index++) {
    const { time } = samples[index] as Sample;
    if (time === (samples[index - 1] as Sample).time) times.add(time);
  }
  return times;
}

function without(rows: SampleRows, times: ReadonlySet<number>): SampleRows {
  const kept = rows.samples.flatMap(({ time }, index) => (times.has(time) ? [] : [index]));
  return {
    seriesId: rows.seriesId,
    samples: kept.map((index) => rows.samples[index] as Sample),
    attributesIds: kept.map((index) => rows.attributesIds[index] as number),
  };
}

async function compareAndWrite(
  repository: HealthDataRepository,
  tx: Tx,
  { rows, stored, now }: { rows: SampleRows; stored: readonly StoredRow[]; now: number },
  observation: Observation,
): Promise<SamplesWritten> {
  const view = { ...(await viewOf(repository, tx, { rows, stored }, observation)), now };
  const sets: SampleSet[] = [];
  const conflicts: number[] = [];
  let written = 0;
  for (const { time, shown, before } of byTime(rows, stored, view)) {
    const verdict = judgeSamples(before, shown, view.look);
    if (verdict.conflict) conflicts.push(time);
    if (verdict.rows === null) continue;
    written += shown.length;
    if (verdict.rows.length === before.length && shown.every((one) => isStored(one, before, view.look))) continue;
    sets.push({ time, siblings: verdict.rows, stored: before.length });
  }
  await repository.replaceSets(tx, rows.seriesId, sets, observation);
  const [first, last] = [conflicts[0], conflicts.at(-1)];
  return { written, conflict: first === undefined || last === undefined ? null : { start: first, end: last } };
}

interface AtOneTime {
  readonly time: number;
  readonly shown: Sibling[];
  readonly before: StoredSibling[];
}

/** Both lists are by rising time; every message that is no news comes through here, so nothing is copied twice. */
function* byTime(
  { samples, attributesIds }: SampleRows,
  stored: readonly StoredRow[],
  view: View,
): Generator<AtOneTime> {
  let at = 0;
  for (let index = 0; index < samples.length; ) {
    const { time } = samples[index] as Sample;
    const shown: Sibling[] = [];
    const before: StoredSibling[] = [];
    for (let sample = samples[index]; sample?.time === time; sample = samples[++index]) {
      const { value, value2, text, durationMs, details } = sample;
      shown.push({ value, value2, text, durationMs, attributesId: attributesIds[index] as number, details });
    }
    while (at < stored.length && (stored[at] as StoredRow).time < time) at++;
    for (let row = stored[at]; row?.time === time; row = stored[++at]) before.push(siblingOf(row, view));
    yield { time, shown, before };
  }
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

async function viewOf(
  repository: HealthDataRepository,
  tx: Tx,
  { rows, stored }: { rows: SampleRows; stored: readonly StoredRow[] },
  observation: Observation,
): Promise<Omit<View, 'now'>> {
  const { id, kind, page } = observation;
  const since = kind === 'sync' && page !== null && page > 0 ? await repository.startOfPull(tx, observation) : id;
  const details = new Map<number, SourceDetails>();
  rows.samples.forEach((sample, index) => details.set(rows.attributesIds[index] as number, sample.details));
  const later: number[] = [];
  const others: number[] = [];
  for (const row of stored) {
    if (row.observation_id > since) later.push(row.observation_id);
    if (!details.has(row.attributes_id)) others.push(row.attributes_id);
  }
  for (const [attributes, theirs] of await repository.details(tx, others)) details.set(attributes, theirs);
  const origins = await repository.observations(tx, later);
  return { look: { observation: id, kind, since }, observation, origins, details };
}

function siblingOf(row: StoredRow, { look, now, observation, origins, details }: View): StoredSibling {
  const origin = origins.get(row.observation_id);
  return {
    value: row.value,
    value2: row.value2,
    text: row.text_value,
    durationMs: row.duration_ms,
    attributesId: row.attributes_id,
    details: details.get(row.attributes_id) ?? noDetails,
    observation: row.observation_id,
    kind: origin?.kind ?? 'sync',
    isStillToCome: isStillToCome(row.observation_id, now),
    sameAnswer:
      row.observation_id === look.since ||
      row.observation_id === look.observation ||
      isEarlierPage(origin, observation),
  };
}

const noDetails: SourceDetails = { deviceId: '', workoutId: '', sport: '' };

/** A page that is fetched again, after a crash, is not what an answer showed beside its first try. */
function isEarlierPage(stored: Observation | undefined, { kind, ref, page }: Observation): boolean {
  return stored?.kind === kind && stored.ref === ref && (stored.page ?? 0) < (page ?? 0);
}
