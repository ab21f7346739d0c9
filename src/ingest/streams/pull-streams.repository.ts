import { Injectable } from '@nestjs/common';
import { fromPullableAccounts } from '../../accounts/accounts/account-sql.js';
import { CLOCK_TOLERANCE_MS, type TimeRange } from '../../platform/platform/time.js';
import { type EntityShape, shapeOf } from '../../storage/database/columns.js';
import { placeholders } from '../../storage/database/dialect.js';
import { Reader } from '../../storage/database/reader.js';
import { saveRows } from '../../storage/database/rows.js';
import type { BulkShape, Tx } from '../../storage/database/tx.js';
import { bringForward, type StepBack } from '../../storage/work/leased-rows.js';
import { PullStreamEntity } from './pull-stream.entity.js';
import { MAX_ACCOUNTS_COUNTED } from './tuning.js';

export interface StreamKey {
  readonly account: number;
  readonly provider: string;
  readonly resource: string;
}

const shape = shapeOf(PullStreamEntity, [
  'account_id',
  'provider',
  'resource',
  'status',
  'next_due_at',
  'promised_at',
  'created_at',
]);
const reviving: BulkShape = { ...shape, update: ['status', 'next_due_at', 'promised_at'] };
const rescheduling: EntityShape<PullStreamEntity> = { ...shape, update: ['next_due_at'] };
const adding: BulkShape = {
  ...shape,
  update: ['next_due_at', 'promised_at'],
  when: `pull_streams.status = 'active' AND pull_streams.next_due_at IS NULL`,
};

export interface NewStreams {
  readonly account: number;
  readonly provider: string;
  readonly resources: readonly string[];
  readonly now: number;
  /** Due time of streams that were never pulled. All others are due now. */
  readonly firstDueAt: number;
}

export interface PulledWindow extends TimeRange {
  readonly now: number;
  /** When the next pull is due if this window may be the stream's first; null if it may not. */
  readonly nextAfterFirst: number | null;
}

/** A planned due time, with the state of the stream that it is based on. */
export interface PlannedPull {
  readonly stream: Pick<PullStreamEntity, 'account_id' | 'provider' | 'resource' | 'covered_until' | 'next_due_at'>;
  readonly dueAt: number;
}

const ofKey = 'account_id = ? AND provider = ? AND resource = ?';

/**
 * The pull_streams table: active, due every interval -- disconnected --> paused, due once more -- connected --> active.
 */
@Injectable()
export class PullStreamsRepository {
  constructor(private readonly reader: Reader) {}

  /** Creates the streams of a source or reactivates them. */
  async connect(tx: Tx, streams: NewStreams): Promise<void> {
    await tx.bulk(reviving, rowsOf(streams));
    const { account, provider, now, firstDueAt } = streams;
    if (firstDueAt <= now) return;
    await tx.execute(
      `UPDATE pull_streams SET next_due_at = ?, promised_at = ?
       WHERE account_id = ? AND provider = ? AND status = 'active' AND covered_until IS NOT NULL`,
      [now, now, account, provider],
    );
  }

  /** Creates missing streams and leaves paused ones paused; returns the number that became due. */
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

  /** Call if upstream no longer has the account's user: stops all pulls until a source is connected again. */
  async stop(tx: Tx, account: number): Promise<void> {
    await tx.execute(`UPDATE pull_streams SET status = 'paused', next_due_at = NULL WHERE account_id = ?`, [account]);
  }

  /** Due streams, longest overdue first, locked until the transaction ends. */
  due(tx: Tx, now: number, limit: number): Promise<PullStreamEntity[]> {
    return tx.rows(`SELECT * FROM pull_streams WHERE next_due_at <= ? ORDER BY next_due_at LIMIT ? ${tx.skipLocked}`, [
      now,
      limit,
    ]);
  }

  /** Call after the system clock was set back; returns the number of streams that are pulled sooner. */
  async bringForward(tx: Tx, step: StepBack): Promise<number> {
    await bringForward(tx, 'pull_streams', 'promised_at', step);
    return bringForward(tx, 'pull_streams', 'next_due_at', step);
  }

  async reschedule(tx: Tx, streams: readonly PullStreamEntity[]): Promise<void> {
    await saveRows(tx, rescheduling, streams);
  }

  /** Sets the due times of streams that have not changed since they were read; returns their number. */
  async plan(tx: Tx, planned: readonly PlannedPull[]): Promise<number> {
    let moved = 0;
    for (const { stream, dueAt } of planned) {
      const { account_id, provider, resource, covered_until, next_due_at } = stream;
      moved += await tx.execute(
        `UPDATE pull_streams SET next_due_at = ?, promised_at = ?
         WHERE ${ofKey} AND status = 'active' AND covered_until = ? AND next_due_at = ?`,
        [dueAt, dueAt, account_id, provider, resource, covered_until, next_due_at],
      );
    }
    return moved;
  }

  /** Makes a stream that was never pulled due now. */
  async endWait(tx: Tx, { account, provider, resource }: StreamKey, now: number): Promise<void> {
    await tx.execute(
      `UPDATE pull_streams SET next_due_at = ?, promised_at = ?
       WHERE ${ofKey} AND status = 'active' AND covered_until IS NULL AND next_due_at > ?`,
      [now, now, account, provider, resource, now],
    );
  }

  async wasNeverPulled(tx: Tx, { account, provider, resource }: StreamKey): Promise<boolean> {
    const pulled = await tx.few(`SELECT 1 FROM pull_streams WHERE ${ofKey} AND covered_until IS NOT NULL`, [
      account,
      provider,
      resource,
    ]);
    return pulled.length === 0;
  }

  /**
   * Records a completely pulled window. If the window adjoins the high-water mark, the mark moves and `promised_at`
   * becomes the planned next time. If the mark is in the future because the clock was set back, any window that may be
   * the first adjoins it.
   */
  async pulled(tx: Tx, { account, provider, resource }: StreamKey, pull: PulledWindow): Promise<void> {
    const key = [account, provider, resource];
    const { start, end, now, nextAfterFirst } = pull;
    if (nextAfterFirst !== null) {
      const isFirst = await tx.execute(
        `UPDATE pull_streams SET last_pulled_at = ?, covered_until = ?, promised_at = ?,
           next_due_at = CASE WHEN next_due_at IS NULL THEN next_due_at ELSE CAST(? AS bigint) END
         WHERE ${ofKey} AND covered_until IS NULL`,
        [now, end, nextAfterFirst, nextAfterFirst, ...key],
      );
      if (isFirst > 0) return;
    }
    const joins = 'covered_until >= ? AND covered_until < ? OR covered_until > ?';
    const ahead = nextAfterFirst === null ? Number.MAX_SAFE_INTEGER : now + CLOCK_TOLERANCE_MS;
    await tx.execute(
      `UPDATE pull_streams SET last_pulled_at = ?,
         covered_until = CASE WHEN ${joins} THEN ? ELSE covered_until END,
         promised_at = CASE WHEN ${joins} THEN next_due_at ELSE promised_at END
       WHERE ${ofKey}`,
      [now, start, end, ahead, end, start, end, ahead, ...key],
    );
  }

  list(account: number): Promise<PullStreamEntity[]> {
    return this.reader.rows('SELECT * FROM pull_streams WHERE account_id = ? ORDER BY provider, resource', [account]);
  }

  /** Number of accounts with streams that can be pulled. */
  async countAccounts(): Promise<number> {
    const newest = await this.reader.row<{ id: number | null }>('SELECT MAX(account_id) AS id FROM pull_streams');
    let counted = 0;
    for (let after = 0; after < (newest?.id ?? 0); after += MAX_ACCOUNTS_COUNTED) {
      const [row] = await this.reader.rows<{ accounts: number }>(
        `SELECT COUNT(*) AS accounts ${fromPullableAccounts} AND id > ? AND id <= ?
          AND EXISTS (SELECT 1 FROM pull_streams s WHERE s.account_id = accounts.id)`,
        [after, after + MAX_ACCOUNTS_COUNTED],
      );
      counted += row?.accounts ?? 0;
    }
    return counted;
  }

  /** Resources that the accounts' sources offer (those with a stream). Omits accounts without streams. */
  async offered(tx: Tx, accounts: readonly number[]): Promise<Map<number, Set<string>>> {
    const offered = new Map<number, Set<string>>();
    if (accounts.length === 0) return offered;
    const rows = await tx.rows<{ account_id: number; resource: string }>(
      `SELECT DISTINCT account_id, resource FROM pull_streams WHERE account_id IN (${placeholders(accounts.length)})`,
      accounts,
    );
    for (const { account_id, resource } of rows) {
      offered.set(account_id, (offered.get(account_id) ?? new Set()).add(resource));
    }
    return offered;
  }

  /** Earliest due time of a stream, past or future; null if no stream is due. */
  async oldestDue(): Promise<number | null> {
    const row = await this.reader.row<{ due: number | null }>(
      'SELECT MIN(next_due_at) AS due FROM pull_streams WHERE next_due_at IS NOT NULL',
    );
    return row?.due ?? null;
  }

  /** The earliest promised time of an active stream's next complete window; null if there is none. */
  async oldestPromise(): Promise<number | null> {
    const row = await this.reader.row<{ promised: number | null }>(
      `SELECT MIN(promised_at) AS promised FROM pull_streams WHERE status = 'active' AND next_due_at IS NOT NULL`,
    );
    return row?.promised ?? null;
  }

  async listOf(accounts: readonly number[]): Promise<PullStreamEntity[]> {
    if (accounts.length === 0) return [];
    const among = placeholders(accounts.length);
    return this.reader.rows(`SELECT * FROM pull_streams WHERE account_id IN (${among})`, accounts);
  }
}

function rowsOf({ account, provider, resources, now, firstDueAt }: NewStreams): (number | string)[] {
  return resources.flatMap((resource) => [account, provider, resource, 'active', firstDueAt, firstDueAt, now]);
}
