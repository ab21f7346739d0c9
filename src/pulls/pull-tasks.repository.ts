import { Injectable } from '@nestjs/common';
import { assignments, placeholders } from '../database/dialect.js';
import type { BulkShape, Tx } from '../database/tx.js';
import type { TimeRange } from '../platform/time.js';
import type { PullTaskEntity, TaskOrigin } from './pull-task.entity.js';

/** Smaller goes first: what somebody waits for, then new sources, then repairs, then the regular round. */
const priorities: Readonly<Record<TaskOrigin, number>> = {
  operator: 10,
  connection: 20,
  historical: 20,
  reread: 30,
  schedule: 40,
  recovery: 90,
};
/** Every priority there is, the most urgent first. */
const priorityOrder: readonly number[] = [...new Set(Object.values(priorities))].sort((a, b) => a - b);

/** Those of work that is late when it waits; recoveries take the time that is left. */
export const timelyPriorities = priorityOrder.filter((priority) => priority !== priorities.recovery);

export interface Request {
  readonly account: number;
  /** Empty for every source. */
  readonly provider: string;
  readonly resource: string;
  readonly origin: TaskOrigin;
  readonly window: TimeRange;
}

export interface Claim {
  readonly owner: string;
  readonly now: number;
  readonly leaseUntil: number;
  readonly limit: number;
}

/** What a holder may change of its task. */
export type TaskChange = Partial<
  Pick<
    PullTaskEntity,
    | 'status'
    | 'next_cursor'
    | 'anchor_cursor'
    | 'pages'
    | 'records'
    | 'written'
    | 'rejected'
    | 'reached'
    | 'failures'
    | 'restarts'
    | 'due_at'
    | 'lease_owner'
    | 'lease_until'
    | 'error_code'
    | 'finished_at'
    | 'dedupe_key'
  >
>;

const columns = [
  { name: 'account_id', type: 'int' },
  { name: 'provider', type: 'text' },
  { name: 'resource', type: 'text' },
  { name: 'origin', type: 'text' },
  { name: 'priority', type: 'int' },
  { name: 'window_start', type: 'int' },
  { name: 'window_end', type: 'int' },
  { name: 'status', type: 'text' },
  { name: 'pages', type: 'int' },
  { name: 'records', type: 'int' },
  { name: 'written', type: 'int' },
  { name: 'rejected', type: 'int' },
  { name: 'attempts', type: 'int' },
  { name: 'failures', type: 'int' },
  { name: 'restarts', type: 'int' },
  { name: 'due_at', type: 'int' },
  { name: 'created_at', type: 'int' },
  { name: 'dedupe_key', type: 'text' },
  { name: 'recovery_id', type: 'int' },
] as const;

/** A regular pull that nobody has begun yet takes over the newer end; one that has begun stays as it is. */
const regularShape: BulkShape = {
  table: 'sync_tasks',
  columns,
  conflict: ['dedupe_key'],
  update: ['window_end'],
  when: 'sync_tasks.attempts = 0',
};

/** A task that waits for the same pull becomes the recovery's, unless it is another recovery's already. */
const recoveryShape: BulkShape = {
  table: 'sync_tasks',
  columns,
  conflict: ['dedupe_key'],
  update: ['recovery_id'],
  when: 'sync_tasks.recovery_id IS NULL',
  returning: ['origin'],
};

const insertOrJoin = `INSERT INTO sync_tasks (${columns.map(({ name }) => name).join(', ')})
  VALUES (${placeholders(columns.length)})
  ON CONFLICT (dedupe_key) DO UPDATE SET
    origin = CASE WHEN excluded.priority < sync_tasks.priority THEN excluded.origin ELSE sync_tasks.origin END,
    priority = CASE WHEN excluded.priority < sync_tasks.priority THEN excluded.priority ELSE sync_tasks.priority END
  RETURNING id`;

const regularPrefix = 'regular|';

/** The write side of sync_tasks; what its states mean is told in task-runner.ts. */
@Injectable()
export class PullTasksRepository {
  /** Stores the request and answers its task: the one it joined when an equal one waits unclaimed. */
  async request(tx: Tx, request: Request, now: number): Promise<number> {
    const [row] = await tx.rows<{ id: number }>(insertOrJoin, values(request, windowKey(request), now));
    if (!row) throw new TypeError('the insert of a task answered no row');
    return row.id;
  }

  /** Stores the regular pulls of streams, at most one unfinished per stream. */
  async requestRegular(tx: Tx, requests: readonly Request[], now: number): Promise<void> {
    const rows = requests.flatMap((request) => {
      const { account, provider, resource } = request;
      return values(request, `${regularPrefix}${account}|${provider}|${resource}`, now);
    });
    await tx.bulk(regularShape, rows);
  }

  /**
   * Stores the pulls of a recovery. `planned`: tasks that are its own now, among them the `joined`, which somebody else
   * waits for too. The rest are tasks of another recovery.
   */
  async requestRecovery(
    tx: Tx,
    requests: readonly Request[],
    { recoveryId, now }: { recoveryId: number; now: number },
  ): Promise<{ planned: number; joined: number }> {
    const rows = requests.flatMap((request) => values(request, windowKey(request), now, recoveryId));
    const stored = await tx.bulkRows<{ origin: TaskOrigin }>(recoveryShape, rows);
    return { planned: stored.length, joined: stored.filter(({ origin }) => origin !== 'recovery').length };
  }

  /** Leases due tasks, the most urgent first. A task whose lease ran out is due again at its end. */
  async claim(tx: Tx, { owner, now, leaseUntil, limit }: Claim): Promise<PullTaskEntity[]> {
    const ids: number[] = [];
    for (const priority of priorityOrder) {
      if (ids.length === limit) break;
      const due = await tx.rows<{ id: number }>(
        `SELECT id FROM sync_tasks WHERE priority = ? AND due_at <= ? ORDER BY due_at, id LIMIT ? ${tx.skipLocked}`,
        [priority, now, limit - ids.length],
      );
      ids.push(...due.map(({ id }) => id));
    }
    if (ids.length === 0) return [];
    const claimed = await tx.rows<PullTaskEntity>(
      `UPDATE sync_tasks SET status = 'running', attempts = attempts + 1, lease_owner = ?, lease_until = ?, due_at = ?,
         started_at = COALESCE(started_at, ?),
         dedupe_key = CASE WHEN dedupe_key LIKE '${regularPrefix}%' THEN dedupe_key ELSE NULL END
       WHERE id IN (${placeholders(ids.length)}) RETURNING *`,
      [owner, leaseUntil, leaseUntil, now, ...ids],
    );
    return claimed.sort((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id));
  }

  /** Writes to a task as its holder; false, and nothing written, when somebody else holds it now. */
  async change(tx: Tx, held: Pick<PullTaskEntity, 'id' | 'lease_owner'>, change: TaskChange): Promise<boolean> {
    const { set, values } = assignments({ ...change });
    const written = await tx.execute(
      `UPDATE sync_tasks ${set} WHERE id = ? AND lease_owner = ? AND status = 'running'`,
      [...values, held.id, held.lease_owner],
    );
    return written === 1;
  }

  /** Makes every running task due, for a start at which no other process can hold one. Answers how many. */
  releaseAll(tx: Tx, now: number): Promise<number> {
    return tx.execute(
      `UPDATE sync_tasks SET status = 'pending', due_at = ?, lease_owner = NULL, lease_until = NULL
       WHERE status = 'running'`,
      [now],
    );
  }
}

function windowKey({ account, provider, resource, window }: Request): string {
  return `window|${account}|${provider}|${resource}|${window.start}|${window.end}`;
}

function values(
  request: Request,
  key: string,
  now: number,
  recoveryId: number | null = null,
): (number | string | null)[] {
  const { account, provider, resource, origin, window } = request;
  const counts = { pages: 0, records: 0, written: 0, rejected: 0, attempts: 0, failures: 0, restarts: 0 };
  const row = {
    account_id: account,
    provider,
    resource,
    origin,
    priority: priorities[origin],
    window_start: window.start,
    window_end: window.end,
    status: 'pending',
    ...counts,
    due_at: now,
    created_at: now,
    dedupe_key: key,
    recovery_id: recoveryId,
  };
  return columns.map(({ name }) => row[name]);
}
