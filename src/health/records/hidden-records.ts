import { isAhead, type TimeRange } from '../../platform/platform/time.js';
import type { Tx } from '../../storage/database/tx.js';
import type { OwnedSummary } from './health-data.repository.js';
import { findHiddenSummaries, forgetMissing, hiddenTimes } from './hidden-records.repository.js';
import { firstObservationAt, type Observation } from './record.entity.js';
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

/**
 * Both results have one entry per entry of `all`. `kept`: the samples that may be written; null if none are left.
 * `refused`: the range of hidden samples that a message showed; null if there are none.
 */
export async function withoutHiddenSamples<T extends OwnedRows>(
  tx: Tx,
  all: readonly T[],
  now: number,
): Promise<{ kept: (T | null)[]; refused: (TimeRange | null)[] }> {
  const kept: (T | null)[] = [...all];
  const refused: (TimeRange | null)[] = all.map(() => null);
  const places = [...all.keys()].filter((place) => {
    const { goneUntil, samples } = all[place] as T;
    return goneUntil !== null && (samples[0]?.time ?? goneUntil + 1) <= goneUntil;
  });
  if (places.length === 0) return { kept, refused };
  const asked = places.map((place) => {
    const { account, resource, seriesId, samples } = all[place] as T;
    return { account, resource, seriesId, first: samples[0]?.time ?? 0, last: samples.at(-1)?.time ?? 0 };
  });
  for (const [index, times] of (await hiddenTimes(tx, asked)).entries()) {
    const place = places[index] as number;
    const rows = all[place] as T;
    if (times.size === 0) continue;
    const { account, resource, seriesId, observation } = rows;
    for (const [time, confirmedAt] of times) {
      const isShown = rows.samples.some((sample) => sample.time === time);
      if (isShown && !revives(observation, confirmedAt, now)) continue;
      if (isShown) await forgetMissing(tx, account, resource, { seriesId, time, summaryId: '' });
      times.delete(time);
    }
    const left = [...rows.samples.keys()].filter((at) => !times.has(rows.samples[at]?.time ?? 0));
    const samples = left.map((at) => rows.samples[at] as T['samples'][number]);
    const attributesIds = left.map((at) => rows.attributesIds[at] as number);
    kept[place] = samples.length === 0 ? null : { ...rows, samples, attributesIds };
    const dropped = [...times.keys()].sort((a, b) => a - b);
    const [start, end] = [dropped[0], dropped.at(-1)];
    if (observation.kind === 'message' && start !== undefined && end !== undefined) refused[place] = { start, end };
  }
  return { kept, refused };
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
