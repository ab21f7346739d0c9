import { Injectable } from '@nestjs/common';
import { placeholders, type SqlValue } from '../../storage/database/dialect.js';
import { Reader } from '../../storage/database/reader.js';
import type { Tx } from '../../storage/database/tx.js';

/** The place of a record; the next slice begins after it. */
export type Place = readonly (number | string)[];

export interface NamedObservation {
  readonly place: Place;
  readonly observation: number;
}

export interface PassedObservation {
  readonly id: number;
  readonly unused_since: number | null;
}

const sampleSql = `SELECT p.series_id, p.time, p.sibling, g.observation_id
  FROM samples p JOIN sample_groups g ON g.id = p.group_id
  WHERE (p.series_id, p.time, p.sibling) > (?, ?, ?) ORDER BY p.series_id, p.time, p.sibling LIMIT ?`;
const summarySql = `SELECT account_id, resource, summary_id, observation_id FROM summaries
  WHERE (account_id, resource, summary_id) > (?, ?, ?) ORDER BY account_id, resource, summary_id LIMIT ?`;

const deleteGroupsOf = `DELETE FROM sample_groups
  WHERE NOT EXISTS (SELECT 1 FROM observations o WHERE o.id = observation_id) AND observation_id`;

/** Observations, and which of them records name. */
@Injectable()
export class UnusedObservationsRepository {
  constructor(private readonly reader: Reader) {}

  async ofSamples(after: Place, limit: number): Promise<NamedObservation[]> {
    type Row = { series_id: number; time: number; sibling: number; observation_id: number };
    const rows = await this.reader.rows<Row>(sampleSql, [...after, limit]);
    return rows.map((row) => ({ place: [row.series_id, row.time, row.sibling], observation: row.observation_id }));
  }

  async ofSummaries(after: Place, limit: number): Promise<NamedObservation[]> {
    type Row = { account_id: number; resource: string; summary_id: string; observation_id: number };
    const rows = await this.reader.rows<Row>(summarySql, [...after, limit]);
    return rows.map((row) => ({
      place: [row.account_id, row.resource, row.summary_id],
      observation: row.observation_id,
    }));
  }

  /** By id, after one and below another. */
  between(after: number, below: number, limit: number): Promise<PassedObservation[]> {
    const sql = 'SELECT id, unused_since FROM observations WHERE id > ? AND id < ? ORDER BY id LIMIT ?';
    return this.reader.rows(sql, [after, below, limit]);
  }

  async markUnused(tx: Tx, ids: readonly number[], now: number): Promise<void> {
    await change(tx, 'UPDATE observations SET unused_since = ? WHERE unused_since IS NULL AND id', [now], ids);
  }

  async markUsed(tx: Tx, ids: readonly number[]): Promise<void> {
    await change(tx, 'UPDATE observations SET unused_since = NULL WHERE id', [], ids);
  }

  /** Those of `ids` that are still marked as unused since before `before`, with their groups; answers how many. */
  async delete(tx: Tx, ids: readonly number[], before: number): Promise<number> {
    const deleted = await change(tx, 'DELETE FROM observations WHERE unused_since < ? AND id', [before], ids);
    await change(tx, deleteGroupsOf, [], ids);
    return deleted;
  }
}

async function change(tx: Tx, sql: string, values: readonly SqlValue[], ids: readonly number[]): Promise<number> {
  if (ids.length === 0) return 0;
  return tx.execute(`${sql} IN (${placeholders(ids.length)})`, [...values, ...ids]);
}
