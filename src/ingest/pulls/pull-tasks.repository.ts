import { Injectable } from '@nestjs/common';
import { catalogue, isWhole } from '../../health/catalogue/catalogue.js';
import type { TimeRange } from '../../platform/platform/time.js';
import { shapeOf } from '../../storage/database/columns.js';
import { placeholders } from '../../storage/database/dialect.js';
import { Reader } from '../../storage/database/reader.js';
import type { BulkShape, Tx } from '../../storage/database/tx.js';
import { LeasedRows } from '../../storage/work/leased-rows.js';
import { MAX_ACCOUNTS_A_CYCLE } from '../streams/tuning.js';
import { PullTaskEntity, type TaskOrigin } from './pull-task.entity.js';

/** Smaller goes first: operators' requests, then new sources, then repairs, then scheduled pulls. */
const priorities: Readonly<Record<TaskOrigin, number>> = {
  operator: 10,
  connection: 20,
  historical: 20,
  reread: 30,
  schedule: 40,
  recovery: 90,
};
/** All priorities, most urgent first. */
const priorityOrder: readonly number[] = [...new Set(Object.values(priorities))].sort((a, b) => a - b);

/** Priorities whose waiting tasks count as late. Recoveries never do, because they use spare capacity. */
export const timelyPriorities = priorityOrder.filter((priority) => priority !== priorities.recovery);

/** A requested pull. Times in epoch milliseconds. */
export interface PullRequest extends TimeRange {
  readonly account: number;
  /** Provider slug; empty means every source. */
  readonly provider: string;
  /** Catalogue name. */
  readonly resource: string;
  readonly origin: TaskOrigin;
}

export type PulledStreamKey = Pick<PullTaskEntity, 'account_id' | 'provider' | 'resource'>;

/** The two upstream calls that pulls use. */
export const pullCalls = ['timeseries', 'summary'] as const;
export type PullCall = (typeof pullCalls)[number];

/** State of a process: running tasks by account, maximum of concurrent tasks, and the calls it may make now. */
export interface Running {
  readonly running: ReadonlyMap<number, number>;
  readonly places: number;
  readonly calls: readonly PullCall[];
}

const pull = ['account_id', 'provider', 'resource', 'origin', 'priority', 'window_start', 'window_end'] as const;
const counts = ['pages', 'records', 'written', 'rejected', 'turns', 'attempts', 'restarts'] as const;
const state = ['status', 'due_at', 'created_at', 'dedupe_key', 'recovery_id'] as const;
const taskShape: BulkShape = { ...shapeOf(PullTaskEntity, [...pull, ...counts, ...state]), conflict: ['dedupe_key'] };

/** A scheduled pull that has not started takes over the newer end. A started one stays unchanged. */
const regularShape: BulkShape = {
  ...taskShape,
  update: ['window_end'],
  when: 'sync_tasks.turns = 0',
  returning: ['account_id', 'provider', 'resource'],
};

/** A waiting task for the same pull becomes part of the recovery, unless it already belongs to another one. */
const recoveryShape: BulkShape = {
  ...taskShape,
  update: ['recovery_id'],
  when: 'sync_tasks.recovery_id IS NULL',
  returning: ['origin'],
};

const insertOrJoin = `INSERT INTO sync_tasks (${taskShape.columns.map(({ name }) => name).join(', ')})
  VALUES (${placeholders(taskShape.columns.length)})
  ON CONFLICT (dedupe_key) DO UPDATE SET
    origin = CASE WHEN excluded.priority < sync_tasks.priority THEN excluded.origin ELSE sync_tasks.origin END,
    priority = CASE WHEN excluded.priority < sync_tasks.priority THEN excluded.priority ELSE sync_tasks.priority END
  RETURNING id`;

const regularPrefix = 'regular|';

const summaries = catalogue.filter(isWhole).map(({ name }) => `'${name}'`);

/** Tasks that make one of these calls. */
function making(calls: readonly PullCall[]): string {
  if (calls.length !== 1) return `resource ${calls.length === 0 ? 'IS NULL' : 'IS NOT NULL'}`;
  return `resource ${calls[0] === 'summary' ? 'IN' : 'NOT IN'} (${summaries.join(', ')})`;
}

/** The write side of sync_tasks; pull-turn.ts describes the states. */
@Injectable()
export class PullTasksRepository {
  readonly rows = new LeasedRows(PullTaskEntity);
  /** Accounts that had their turn in the current cycle, by priority. */
  private readonly served = new Map<number, Set<number>>();

  constructor(private readonly reader: Reader) {}

  /** Stores the request and returns the id of its task: an identical unclaimed one if there is one, else a new one. */
  async request(tx: Tx, request: PullRequest, now: number): Promise<number> {
    const [row] = await tx.rows<{ id: number }>(insertOrJoin, values(request, windowKey(request), now));
    if (!row) throw new TypeError('the insert of a task returned no row');
    return row.id;
  }

  /**
   * Stores the regular pulls of streams, at most one unfinished per stream. Returns the streams whose pull reaches the
   * requested end; for the others, a pull with an earlier end has already started.
   */
  async requestRegular(tx: Tx, requests: readonly PullRequest[], now: number): Promise<PulledStreamKey[]> {
    const rows = requests.flatMap((request) => {
      const { account, provider, resource } = request;
      return values(request, `${regularPrefix}${account}|${provider}|${resource}`, now);
    });
    return tx.bulkRows<PulledStreamKey>(regularShape, rows);
  }

  /**
   * Stores the pulls of a recovery. `planned`: tasks that now belong to it, including the `joined` ones, which an
   * earlier request created. The rest belong to another recovery.
   */
  async requestRecovery(
    tx: Tx,
    requests: readonly PullRequest[],
    { recoveryId, now }: { recoveryId: number; now: number },
  ): Promise<{ planned: number; joined: number }> {
    const rows = requests.flatMap((request) => values(request, windowKey(request), now, recoveryId));
    const stored = await tx.bulkRows<{ origin: TaskOrigin }>(recoveryShape, rows);
    return { planned: stored.length, joined: stored.filter(({ origin }) => origin !== 'recovery').length };
  }

  /** True if a claim would find a task. */
  anyDue(now: number, calls: readonly PullCall[]): Promise<boolean> {
    // Naming the priorities lets the database use the index on priority and due time.
    const where = `priority IN (${priorityOrder.join(', ')}) AND ${making(calls)}`;
    return this.rows.anyDue(this.reader, now, { where, values: [] });
  }

  /**
   * Leases due tasks, most urgent first; within a priority, accounts take turns. While others wait, an account gets at
   * most half of this process's places.
   */
  async claim(tx: Tx, now: number, limit: number, { running, places, calls }: Running): Promise<PullTaskEntity[]> {
    const held: PullTaskEntity[] = [];
    const counts = new Map(running);
    while (held.length < limit) {
      const full = [...counts].filter(([, count]) => count * 2 >= places).map(([account]) => account);
      const task =
        (await this.claimNext(tx, now, calls, full)) ??
        (full.length > 0 ? await this.claimNext(tx, now, calls, []) : null);
      if (!task) break;
      counts.set(task.account_id, (counts.get(task.account_id) ?? 0) + 1);
      held.push(task);
    }
    if (held.length === 0) return [];
    const ids = held.map(({ id }) => id);
    const begun = await tx.rows<PullTaskEntity>(
      `UPDATE sync_tasks SET status = 'running', turns = turns + 1, started_at = COALESCE(started_at, ?),
         dedupe_key = CASE WHEN dedupe_key LIKE '${regularPrefix}%' THEN dedupe_key ELSE NULL END
       WHERE id IN (${placeholders(ids.length)}) RETURNING *`,
      [now, ...ids],
    );
    return begun.sort((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id));
  }

  private async claimNext(
    tx: Tx,
    now: number,
    calls: readonly PullCall[],
    full: readonly number[],
  ): Promise<PullTaskEntity | null> {
    for (const priority of priorityOrder) {
      const kind = `priority = ${priority} AND ${making(calls)}`;
      const served = this.served.get(priority) ?? new Set();
      const task =
        (await this.claimOne(tx, now, kind, [...full, ...served])) ??
        (served.size > 0 ? await this.claimOne(tx, now, kind, full) : null);
      if (!task) continue;
      // If this account already had its turn, so has every other: start the next cycle.
      if (served.has(task.account_id) || served.size >= MAX_ACCOUNTS_A_CYCLE) served.clear();
      this.served.set(priority, served.add(task.account_id));
      return task;
    }
    return null;
  }

  private async claimOne(
    tx: Tx,
    now: number,
    kind: string,
    without: readonly number[],
  ): Promise<PullTaskEntity | null> {
    const others = without.length === 0 ? '' : ` AND account_id NOT IN (${placeholders(without.length)})`;
    const where = `${kind}${others}`;
    const [task] = await this.rows.claim(tx, { now, limit: 1, only: { where, values: without } });
    return task ?? null;
  }
}

function windowKey({ account, provider, resource, start, end }: PullRequest): string {
  return `window|${account}|${provider}|${resource}|${start}|${end}`;
}

function values(
  request: PullRequest,
  key: string,
  now: number,
  recoveryId: number | null = null,
): (number | string | null)[] {
  const { account, provider, resource, origin, start, end } = request;
  const pulled = [account, provider, resource, origin, priorities[origin], start, end];
  return [...pulled, ...counts.map(() => 0), 'pending', now, now, key, recoveryId];
}
