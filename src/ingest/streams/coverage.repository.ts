import { Injectable } from '@nestjs/common';
import type { TimeRange } from '../../platform/platform/time.js';
import { Reader } from '../../storage/database/reader.js';
import type { Tx } from '../../storage/database/tx.js';
import type { CoverageEntity } from './coverage.entity.js';
import { type Covered, type StreamCovered } from './coverage.js';
import type { StreamKey } from './pull-streams.repository.js';

type CoverageRow = Pick<CoverageEntity, 'range_start' | 'range_end' | 'confirmed_at' | 'state'>;

const columns = 'range_start, range_end, confirmed_at, state';
const touching = `account_id = ? AND provider = ? AND resource = ?
  AND (range_start <= ? AND range_end >= ? OR confirmed_at > ?)`;

/** The coverage table: completely pulled ranges, merged. */
@Injectable()
export class CoverageRepository {
  constructor(private readonly reader: Reader) {}

  /** Deletes and returns the stream's ranges that overlap or touch `range`, or were confirmed after `ahead`. */
  async takeTouching(
    tx: Tx,
    { account, provider, resource }: StreamKey,
    range: TimeRange,
    ahead: number,
  ): Promise<Covered[]> {
    const values = [account, provider, resource, range.end, range.start, ahead];
    const rows = await tx.rows<CoverageRow>(`SELECT ${columns} FROM coverage WHERE ${touching}`, values);
    await tx.execute(`DELETE FROM coverage WHERE ${touching}`, values);
    return rows.map(toCovered);
  }

  async insert(tx: Tx, { account, provider, resource }: StreamKey, ranges: readonly Covered[]): Promise<void> {
    for (const { start, end, confirmedAt, state } of ranges) {
      await tx.execute(
        `INSERT INTO coverage (account_id, provider, resource, ${columns}) VALUES (?, ?, ?, ?, ?, ?, ?)`,
        [account, provider, resource, start, end, confirmedAt, state],
      );
    }
  }

  /** All covered ranges of an account, by stream and start. */
  async list(account: number): Promise<StreamCovered[]> {
    const rows = await this.reader.rows<CoverageRow & { provider: string; resource: string }>(
      `SELECT provider, resource, ${columns} FROM coverage WHERE account_id = ?
       ORDER BY provider, resource, range_start`,
      [account],
    );
    return rows.map((row) => ({ provider: row.provider, resource: row.resource, ...toCovered(row) }));
  }
}

function toCovered({ range_start: start, range_end: end, confirmed_at: confirmedAt, state }: CoverageRow): Covered {
  return { start, end, confirmedAt, state };
}
