import { Injectable } from '@nestjs/common';
import { Reader } from '../database/reader.js';
import type { TaskStatus } from '../pulls/pull-task.entity.js';
import type { Throughput } from './estimate.js';
import type { RecoveryEntity } from './recovery.entity.js';

export interface AffectedAccounts {
  readonly accounts: number;
  readonly pulledAccounts: number;
  readonly sources: number;
  /** The newest account; 0 when there is none. */
  readonly lastAccount: number;
}

export interface PullTotals {
  readonly status: TaskStatus;
  readonly pulls: number;
  readonly pages: number;
}

/** Ended pulls that tell what another will take. */
const RECENT = 1_000;

/** Accounts that can be pulled. */
export const reachable = `a.upstream_user_id IS NOT NULL AND a.status <> 'erasing'`;
export const hasStreams = 'EXISTS (SELECT 1 FROM sync_streams s WHERE s.account_id = a.id)';

/** What a recovery would reach, how it stands, and what pulls take. */
@Injectable()
export class RecoveryReader {
  constructor(private readonly reader: Reader) {}

  find(id: number): Promise<RecoveryEntity | null> {
    return this.reader.row('SELECT * FROM recoveries WHERE id = ?', [id]);
  }

  /** Newest first. */
  page(beforeId: number, limit: number): Promise<RecoveryEntity[]> {
    return this.reader.rows('SELECT * FROM recoveries WHERE id < ? ORDER BY id DESC LIMIT ?', [beforeId, limit]);
  }

  open(): Promise<RecoveryEntity[]> {
    return this.reader.rows('SELECT * FROM recoveries WHERE finished_at IS NULL ORDER BY id');
  }

  async reach(): Promise<AffectedAccounts> {
    const [accounts] = await this.reader.rows<Omit<AffectedAccounts, 'sources'>>(
      `SELECT COUNT(*) AS accounts, COUNT(CASE WHEN ${hasStreams} THEN 1 END) AS "pulledAccounts",
         COALESCE(MAX(a.id), 0) AS "lastAccount" FROM accounts a WHERE ${reachable}`,
    );
    const [connected] = await this.reader.rows<{ sources: number }>(
      `SELECT COUNT(*) AS sources FROM connections WHERE status = 'connected'`,
    );
    return { accounts: 0, pulledAccounts: 0, lastAccount: 0, sources: 0, ...accounts, ...connected };
  }

  /** By resource, of the latest pulls that ended well. */
  paces(): Promise<Throughput[]> {
    return this.reader.rows(
      `SELECT resource, COUNT(*) AS pulls, CAST(SUM(pages) AS bigint) AS pages,
         CAST(SUM(window_end - window_start) AS bigint) AS "windowMs",
         CAST(SUM(CASE WHEN attempts = 1 THEN pages ELSE 0 END) AS bigint) AS "timedPages",
         CAST(SUM(CASE WHEN attempts = 1 THEN finished_at - started_at ELSE 0 END) AS bigint) AS "timedMs"
       FROM (SELECT * FROM sync_tasks WHERE status = 'done' ORDER BY id DESC LIMIT ?) AS latest GROUP BY resource`,
      [RECENT],
    );
  }

  /** The pulls of a recovery by their status. */
  totals(recoveryId: number): Promise<PullTotals[]> {
    return this.reader.rows(
      `SELECT status, COUNT(*) AS pulls, CAST(SUM(pages) AS bigint) AS pages FROM sync_tasks
       WHERE recovery_id = ? GROUP BY status`,
      [recoveryId],
    );
  }

  async hasOpenPulls(recoveryId: number): Promise<boolean> {
    const sql = `SELECT id FROM sync_tasks WHERE recovery_id = ? AND status IN ('pending', 'running') LIMIT 1`;
    return (await this.reader.row(sql, [recoveryId])) !== null;
  }
}
