import { Injectable } from '@nestjs/common';
import type { Resource } from '../catalogue/catalogue.js';
import { CoverageService } from '../coverage/coverage.service.js';
import { PullStreams } from '../coverage/pull-streams.service.js';
import type { Tx } from '../database/tx.js';
import type { PullTaskEntity } from './pull-task.entity.js';
import { PullTasksRepository, type TaskChange } from './pull-tasks.repository.js';

/** The task is somebody else's now: what was to be written with it must not be. */
export class LeaseLost extends Error {
  constructor() {
    super('the lease of the task was lost');
    this.name = 'LeaseLost';
  }
}

const LEASE_MS = 120_000;

export function leaseEnd(now: number): number {
  return now + LEASE_MS;
}

const unleased = { lease_owner: null, lease_until: null } as const;
const fromTheStart = { next_cursor: null, anchor_cursor: null, pages: 0, records: 0, reached: null } as const;

/**
 * The moves a holder makes with its task; see pull-runner.ts. Each answers the task after the move and throws
 * `LeaseLost`, so that the transaction is undone, when the caller does not hold it any more.
 */
@Injectable()
export class PullTask {
  constructor(
    private readonly tasks: PullTasksRepository,
    private readonly streams: PullStreams,
    private readonly coverage: CoverageService,
  ) {}

  /** A page is stored, another follows. */
  advance(tx: Tx, task: PullTaskEntity): Promise<PullTaskEntity> {
    return this.move(tx, task, progressOf(task));
  }

  /**
   * What finishing a pull means, once its last page is stored: the window is covered as of the first claim, the stream's
   * high-water mark moves, upstream's pulls of history within it are fetched, and the task is done.
   */
  async finishPull(tx: Tx, task: PullTaskEntity, resource: Resource, now: number): Promise<PullTaskEntity> {
    const { id, account_id: account, provider, origin } = task;
    const confirmedAt = task.started_at ?? now;
    const window = { start: task.window_start, end: Math.min(task.window_end, confirmedAt) };
    await tx.lock('account', account);
    const stream = { account, provider, resource: resource.name };
    const regular = origin === 'schedule' || origin === 'connection';
    await this.coverage.add(tx, stream, { ...window, confirmedAt });
    await this.streams.pulled(tx, stream, { ...window, regular, now });
    if (resource.eventName !== null) {
      const asked = { start: task.window_start, end: task.window_end };
      await this.coverage.historyFetched(tx, {
        account,
        provider,
        eventName: resource.eventName,
        window: asked,
        taskId: id,
      });
    }
    return this.move(tx, task, { ...progressOf(task), ...ended(now), status: 'done', error_code: null });
  }

  /** Given up; a new request begins anew. */
  fail(tx: Tx, task: PullTaskEntity, code: string, now: number): Promise<PullTaskEntity> {
    return this.move(tx, task, { ...ended(now), status: 'failed', error_code: code });
  }

  /** Put off until `dueAt`, with its cursor. */
  defer(tx: Tx, task: PullTaskEntity, code: string, dueAt: number): Promise<PullTaskEntity> {
    const { failures } = task;
    return this.move(tx, task, {
      ...unleased,
      status: 'pending',
      due_at: dueAt,
      failures: failures + 1,
      error_code: code,
    });
  }

  /** Put off until now, from the first page. */
  restart(tx: Tx, task: PullTaskEntity, code: string, now: number): Promise<PullTaskEntity> {
    const { restarts } = task;
    const change = { ...fromTheStart, ...unleased, restarts: restarts + 1, error_code: code };
    return this.move(tx, task, { ...change, status: 'pending', due_at: now });
  }

  /** Handed back with its cursor, for whoever is next. */
  release(tx: Tx, task: PullTaskEntity, now: number): Promise<PullTaskEntity> {
    return this.move(tx, task, { ...unleased, status: 'pending', due_at: now });
  }

  private async move(tx: Tx, task: PullTaskEntity, change: TaskChange): Promise<PullTaskEntity> {
    if (!(await this.tasks.change(tx, task, change))) throw new LeaseLost();
    return { ...task, ...change };
  }
}

function ended(now: number): TaskChange {
  return { ...unleased, due_at: null, finished_at: now, dedupe_key: null };
}

function progressOf(task: PullTaskEntity): TaskChange {
  const { next_cursor, anchor_cursor, pages, records, written, rejected, reached, failures, lease_until, due_at } =
    task;
  return { next_cursor, anchor_cursor, pages, records, written, rejected, reached, failures, lease_until, due_at };
}
