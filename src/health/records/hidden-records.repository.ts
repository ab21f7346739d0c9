import type { GivenQuery, Tx } from '../../storage/database/tx.js';
import { hiddenStates } from './missing-record.entity.js';

/** Identifies the subject of a row: a summary, or all samples of a series at one time. */
export interface RecordKey {
  readonly seriesId: number;
  readonly time: number;
  readonly summaryId: string;
}

/** SQL condition on missing_records: the record is hidden. */
export const hidden = `state IN (${hiddenStates.map((state) => `'${state}'`).join(', ')})`;
const byKey = 'account_id = ? AND resource = ? AND time = ? AND series_id = ? AND summary_id = ?';

const hiddenSamples: GivenQuery = {
  columns: [
    { name: 'place', type: 'int' },
    { name: 'account_id', type: 'int' },
    { name: 'resource', type: 'text' },
    { name: 'series_id', type: 'int' },
    { name: 'first', type: 'int' },
    { name: 'last', type: 'int' },
  ],
  sql: `SELECT given.place, m.time, m.confirmed_at FROM given CROSS JOIN missing_records m
    WHERE m.account_id = given.account_id AND m.resource = given.resource AND m.time >= given.first
      AND m.time <= given.last AND m.series_id = given.series_id AND m.${hidden}`,
};

const hiddenSummaries: GivenQuery = {
  columns: [
    { name: 'account_id', type: 'int' },
    { name: 'resource', type: 'text' },
    { name: 'summary_id', type: 'text' },
  ],
  sql: `SELECT m.account_id, m.resource, m.summary_id, m.time, m.confirmed_at FROM given CROSS JOIN missing_records m
    WHERE m.account_id = given.account_id AND m.resource = given.resource AND m.summary_id = given.summary_id
      AND m.summary_id <> '' AND m.${hidden}`,
};

/** A range of a series to search for hidden samples; epoch milliseconds, both ends inclusive. */
export interface HiddenAmong {
  readonly account: number;
  readonly resource: string;
  readonly seriesId: number;
  readonly first: number;
  readonly last: number;
}

/** For each of `asked`, the times of hidden samples, mapped to the start of the look that confirmed them. */
export async function hiddenTimes(tx: Tx, asked: readonly HiddenAmong[]): Promise<Map<number, number>[]> {
  const found = asked.map(() => new Map<number, number>());
  const given = asked.flatMap(({ account, resource, seriesId, first, last }, place) => {
    return [place, account, resource, seriesId, first, last];
  });
  for (const [place, time, at] of await tx.given<[number, number, number]>(hiddenSamples, given)) {
    found[place]?.set(time, at);
  }
  return found;
}

export interface HiddenSummary {
  readonly account: number;
  readonly resource: string;
  readonly summaryId: string;
  readonly time: number;
  readonly confirmedAt: number;
}

/** Returns the hidden ones among these summaries. */
export async function findHiddenSummaries(
  tx: Tx,
  asked: readonly { account: number; resource: string; summaryId: string }[],
): Promise<HiddenSummary[]> {
  const given = asked.flatMap(({ account, resource, summaryId }) => [account, resource, summaryId]);
  const rows = await tx.given<[number, string, string, number, number]>(hiddenSummaries, given);
  return rows.map(([account, resource, summaryId, time, confirmedAt]) => {
    return { account, resource, summaryId, time, confirmedAt };
  });
}

/** Deletes the row of a record that upstream shows again. */
export async function forgetMissing(tx: Tx, account: number, resource: string, key: RecordKey): Promise<void> {
  const sql = `DELETE FROM missing_records WHERE ${byKey}`;
  await tx.execute(sql, [account, resource, key.time, key.seriesId, key.summaryId]);
}
