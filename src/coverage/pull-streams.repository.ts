import { Injectable } from '@nestjs/common';
import { fromPullableAccounts } from '../accounts/account-sql.js';
import { placeholders } from '../database/dialect.js';
import { Reader } from '../database/reader.js';
import type { BulkShape, Tx } from '../database/tx.js';
import type { TimeRange } from '../platform/time.js';
import { bringForward, type StepBack } from '../work/leased-rows.js';
import type { PullStreamEntity } from './pull-stream.entity.js';

export interface StreamKey {
  readonly account: number;
  readonly provider: string;
  readonly resource: string;
}

const columns = [
  { name: 'account_id', type: 'int' },
  { name: 'provider', type: 'text' },
  { name: 'resource', type: 'text' },
  { name: 'status', type: 'text' },
  { name: 'next_due_at', type: 'int' },
  { name: 'created_at', type: 'int' },
] as const;
const conflict = ['account_id', 'provider', 'resource'];

const reviving: BulkShape = { table: 'pull_streams', columns, conflict, update: ['status', 'next_due_at'] };
const rescheduling: BulkShape = { table: 'pull_streams', columns, conflict, update: ['next_due_at'] };
const adding: BulkShape = {
  ...rescheduling,
  when: `pull_streams.status = 'active' AND pull_streams.next_due_at IS NULL`,
};

export interface NewStreams {
  readonly account: number;
  readonly provider: string;
  readonly resources: readonly string[];
  readonly now: number;
}

/** A window pulled whole; `regular`: by the stream's own schedule. */
export interface PulledWindow extends TimeRange {
  readonly regular: boolean;
  readonly now: number;
}

/**
 * The pull_streams table: active, due every interval -- disconnected --> paused, due once more -- connected --> active.
 */
@Injectable()
export class PullStreamsRepository {
  constructor(private readonly reader: Reader) {}

  /** Makes the streams of a source, or takes them up again; all are due now. */
  async connect(tx: Tx, streams: NewStreams): Promise<void> {
    await tx.bulk(reviving, rowsOf(streams));
  }

  /** Makes the streams that are missing and leaves paused ones paused; answers how many became due. */
  async add(tx: Tx, streams: NewStreams): Promise<number> {
    return tx.bulk(adding, rowsOf(streams));
  }

  /** Pauses the streams of a source after one last pull. */
  async pause(tx: Tx, account: number, provider: string, now: number): Promise<void> {
    await tx.execute(
      `UPDATE pull_streams SET status = 'paused', next_due_at = ?
       WHERE account_id = ? AND provider = ? AND status = 'active'`,
      [now, account, provider],
    );
  }

  /** Pauses all streams of an account at once: there is nobody left to ask about. */
  async stop(tx: Tx, account: number): Promise<void> {
    await tx.execute(`UPDATE pull_streams SET status = 'paused', next_due_at = NULL WHERE account_id = ?`, [account]);
  }

  /** Streams that are due, longest due first, locked until the transaction ends. */
  due(tx: Tx, now: number, limit: number): Promise<PullStreamEntity[]> {
    return tx.rows(`SELECT * FROM pull_streams WHERE next_due_at <= ? ORDER BY next_due_at LIMIT ? ${tx.skipLocked}`, [
      now,
      limit,
    ]);
  }

  bringForward(tx: Tx, step: StepBack): Promise<number> {
    return bringForward(tx, 'pull_streams', 'next_due_at', step);
  }

  async reschedule(tx: Tx, streams: readonly PullStreamEntity[]): Promise<void> {
    const rows = streams.flatMap((stream) => columns.map(({ name }) => stream[name]));
    await tx.bulk(rescheduling, rows);
  }

  /**
   * Notes that a window was pulled whole. The high-water mark moves only when the window joins on to it; where there is
   * none yet, only a `regular` pull sets it.
   */
  async pulled(tx: Tx, { account, provider, resource }: StreamKey, pull: PulledWindow): Promise<void> {
    await tx.execute(
      `UPDATE pull_streams SET last_pulled_at = ?, covered_until = CASE
         WHEN covered_until IS NULL THEN CAST(? AS bigint)
         WHEN covered_until >= ? AND covered_until < ? THEN ?
         ELSE covered_until END
       WHERE account_id = ? AND provider = ? AND resource = ?`,
      [pull.now, pull.regular ? pull.end : null, pull.start, pull.end, pull.end, account, provider, resource],
    );
  }

  list(account: number): Promise<PullStreamEntity[]> {
    return this.reader.rows('SELECT * FROM pull_streams WHERE account_id = ? ORDER BY provider, resource', [account]);
  }

  async countAccounts(): Promise<number> {
    const [row] = await this.reader.rows<{ accounts: number }>(
      `SELECT COUNT(*) AS accounts ${fromPullableAccounts}
        AND EXISTS (SELECT 1 FROM pull_streams s WHERE s.account_id = accounts.id)`,
    );
    return row?.accounts ?? 0;
  }

  async accountsWith(tx: Tx, accounts: readonly number[]): Promise<Set<number>> {
    if (accounts.length === 0) return new Set();
    const rows = await tx.rows<{ account_id: number }>(
      `SELECT DISTINCT account_id FROM pull_streams WHERE account_id IN (${placeholders(accounts.length)})`,
      accounts,
    );
    return new Set(rows.map(({ account_id }) => account_id));
  }

  /** When the stream that waits longest was due, or will be; null without streams. */
  async oldestDue(): Promise<number | null> {
    const row = await this.reader.row<{ due: number | null }>(
      'SELECT MIN(next_due_at) AS due FROM pull_streams WHERE next_due_at IS NOT NULL',
    );
    return row?.due ?? null;
  }

  /**
   * Active streams among which the latest is: the one due first, the one whose newest whole window is the oldest, and
   * the one that has been without any for longest.
   */
  async latest(): Promise<PullStreamEntity[]> {
    const active = `SELECT * FROM pull_streams WHERE status = 'active' AND next_due_at IS NOT NULL`;
    const found = await Promise.all([
      this.reader.rows<PullStreamEntity>(`${active} ORDER BY next_due_at LIMIT 1`),
      this.reader.rows<PullStreamEntity>(`${active} AND covered_until IS NOT NULL ORDER BY covered_until LIMIT 1`),
      this.reader.rows<PullStreamEntity>(`${active} AND covered_until IS NULL ORDER BY created_at LIMIT 1`),
    ]);
    return found.flat();
  }
}

function rowsOf({ account, provider, resources, now }: NewStreams): (number | string)[] {
  return resources.flatMap((resource) => [account, provider, resource, 'active', now, now]);
}
