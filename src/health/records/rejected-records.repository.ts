import { Injectable } from '@nestjs/common';
import type { TimeRange } from '../../platform/platform/time.js';
import { type EntityShape, shapeOf } from '../../storage/database/columns.js';
import { filledUp, placeholders } from '../../storage/database/dialect.js';
import { Reader } from '../../storage/database/reader.js';
import { saveRows } from '../../storage/database/rows.js';
import type { Tx } from '../../storage/database/tx.js';
import type { RejectedRange } from '../catalogue/rejections.js';
import { RejectedRecordEntity } from './rejected-record.entity.js';

const latest: EntityShape<RejectedRecordEntity> = {
  ...shapeOf(RejectedRecordEntity),
  update: ['reason', 'time_from', 'time_to', 'count', 'ref', 'seen_at'],
};

export interface Origin {
  readonly account: number;
  readonly kind: 'message' | 'sync';
  readonly ref: number;
}

/** The rejected_records table. */
@Injectable()
export class RejectedRecordsRepository {
  constructor(private readonly reader: Reader) {}

  async store(tx: Tx, rows: readonly RejectedRecordEntity[]): Promise<void> {
    await saveRows(tx, latest, rows);
  }

  /** The messages among these that have stored rejections. */
  async ofMessages(tx: Tx, seqs: readonly number[]): Promise<Set<number>> {
    const refs = filledUp(seqs);
    if (refs.length === 0) return new Set();
    const sql = `SELECT ref FROM rejected_records WHERE kind = 'message' AND ref IN (${placeholders(refs.length)})`;
    return new Set((await tx.rows<{ ref: number }>(sql, refs)).map(({ ref }) => ref));
  }

  async forget(tx: Tx, { account, kind, ref }: Origin): Promise<void> {
    const sql = 'DELETE FROM rejected_records WHERE kind = ? AND ref = ? AND account_id = ?';
    await tx.execute(sql, [kind, ref, account]);
  }

  /** Deletes rejections inside a window that were last seen before a time. */
  async forgetWithin(
    tx: Tx,
    { account, provider, resource }: { account: number; provider: string; resource: string },
    { start, end, seenBefore }: TimeRange & { seenBefore: number },
  ): Promise<void> {
    await tx.execute(
      `DELETE FROM rejected_records WHERE account_id = ? AND resource = ? AND time_from >= ? AND time_to < ?
        AND (provider = ? OR ? = '') AND seen_at < ?`,
      [account, resource, start, end, provider, provider, seenBefore],
    );
  }

  async hasSeenBefore(before: number): Promise<boolean> {
    const sql = 'SELECT 1 AS one FROM rejected_records WHERE seen_at < ? LIMIT 1';
    return (await this.reader.row(sql, [before])) !== null;
  }

  /** Deletes up to `limit` rows last seen before a time; returns their number. */
  forgetSeenBefore(tx: Tx, before: number, limit: number): Promise<number> {
    return tx.execute(
      `DELETE FROM rejected_records WHERE (account_id, digest) IN (
        SELECT account_id, digest FROM rejected_records WHERE seen_at < ? ORDER BY seen_at LIMIT ?)`,
      [before, limit],
    );
  }

  /** Counts by source, resource, range and reason. */
  ranges(account: number): Promise<RejectedRange[]> {
    return this.reader.rows(
      `SELECT provider, resource, reason, time_from AS start, time_to + 1 AS "end", CAST(SUM(count) AS bigint) AS count
       FROM rejected_records WHERE account_id = ? GROUP BY provider, resource, reason, time_from, time_to`,
      [account],
    );
  }

  reasonsOf(kind: Origin['kind'], ref: number): Promise<{ reason: string; count: number }[]> {
    return this.reader.rows(
      `SELECT reason, CAST(SUM(count) AS bigint) AS count FROM rejected_records
       WHERE kind = ? AND ref = ? GROUP BY reason ORDER BY reason`,
      [kind, ref],
    );
  }
}
