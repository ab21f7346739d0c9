import { isAhead, type TimeRange } from '../../platform/platform/time.js';
import type { Tx } from '../../storage/database/tx.js';
import type { OwnedSummary } from './health-data.repository.js';
import { findHiddenSummaries, forgetMissing, hiddenTimes } from './hidden-records.repository.js';
import { firstObservationAt } from './observation-ids.js';
import { type Observation } from './record.entity.js';
import type { SampleRows } from './write-samples.js';

/*
 * A hidden record comes back only if a page fetched after the confirming look shows it. A message may be a late retry
 * or a replay of old content, so it does not bring the record back; instead, its range is pulled again.
 */

/** Samples of one series to write, with its owner and the time up to which samples may be hidden. */
export interface OwnedRows extends SampleRows {
  readonly account: number;
  readonly resource: string;
  readonly goneUntil: number | null;
}

/** True if the observation proves that upstream has a record again that was missing from a look at `confirmedAt`. */
function revives({ id, kind }: Observation, confirmedAt: number, now: number): boolean {
  return kind === 'sync' && (id >= firstObservationAt(confirmedAt) || isAhead(confirmedAt, now));
}

/** `kept`: the samples that may be written. `refused`: the ranges of hidden samples that a message showed. */
export async function withoutHiddenSamples<T extends OwnedRows>(
  tx: Tx,
  all: readonly T[],
  now: number,
): Promise<{ kept: readonly T[]; refused: readonly (readonly [rows: T, range: TimeRange])[] }> {
  const doubtful = all.filter(({ goneUntil, samples }) => {
    return goneUntil !== null && (samples[0]?.time ?? goneUntil + 1) <= goneUntil;
  });
  if (doubtful.length === 0) return { kept: all, refused: [] };
  const asked = doubtful.map(({ account, resource, seriesId, samples }) => {
    return { account, resource, seriesId, first: samples[0]?.time ?? 0, last: samples.at(-1)?.time ?? 0 };
  });
  const hidden = await hiddenTimes(tx, asked);
  const left = new Map<T, T>();
  const refused: (readonly [T, TimeRange])[] = [];
  for (const [index, rows] of doubtful.entries()) {
    const times = hidden[index];
    if (times === undefined || times.size === 0) continue;
    const { account, resource, seriesId, observation } = rows;
    for (const [time, confirmedAt] of times) {
      const isShown = rows.samples.some((sample) => sample.time === time);
      if (isShown && !revives(observation, confirmedAt, now)) continue;
      if (isShown) await forgetMissing(tx, account, resource, { seriesId, time, summaryId: '' });
      times.delete(time);
    }
    left.set(rows, withoutTimes(rows, times));
    const dropped = [...times.keys()].sort((a, b) => a - b);
    const [start, end] = [dropped[0], dropped.at(-1)];
    if (observation.kind === 'message' && start !== undefined && end !== undefined)
      refused.push([rows, { start, end }]);
  }
  return { kept: all.map((rows) => left.get(rows) ?? rows).filter(({ samples }) => samples.length > 0), refused };
}

/** Without the samples of these times. */
export function withoutTimes<T extends OwnedRows>(rows: T, times: ReadonlyMap<number, number>): T {
  const at = [...rows.samples.keys()].filter((index) => !times.has(rows.samples[index]?.time ?? 0));
  const samples = at.map((index) => rows.samples[index] as T['samples'][number]);
  return { ...rows, samples, attributesIds: at.map((index) => rows.attributesIds[index] as number) };
}

/** `kept`: the summaries that may be written. `refused`: hidden ones that a message showed. */
export async function withoutHiddenSummaries<T extends OwnedSummary>(
  tx: Tx,
  all: readonly T[],
  now: number,
): Promise<{ kept: readonly T[]; refused: readonly T[] }> {
  if (all.length === 0) return { kept: all, refused: [] };
  const asked = all.map(({ account, resource, summary: { summaryId } }) => {
    return { account, resource: resource.name, summaryId };
  });
  const hidden = await findHiddenSummaries(tx, asked);
  if (hidden.length === 0) return { kept: all, refused: [] };
  const rows = new Map(hidden.map((row) => [`${row.account} ${row.resource} ${row.summaryId}`, row]));
  const kept: T[] = [];
  const refused: T[] = [];
  for (const one of all) {
    const { account, resource, summary, observation } = one;
    const row = rows.get(`${account} ${resource.name} ${summary.summaryId}`);
    const isBack = row !== undefined && revives(observation, row.confirmedAt, now);
    if (!row || isBack) kept.push(one);
    else if (observation.kind === 'message') refused.push(one);
    if (isBack) {
      await forgetMissing(tx, account, row.resource, { seriesId: 0, time: row.time, summaryId: row.summaryId });
    }
  }
  return { kept, refused };
}
