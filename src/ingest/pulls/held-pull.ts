import { Injectable } from '@nestjs/common';
import type { Resource } from '../../health/catalogue/catalogue.js';
import { RejectedRecords } from '../../health/records/rejected-records.service.js';
import type { Tx } from '../../storage/database/tx.js';
import type { Change } from '../../storage/work/lease.js';
import { CoverageService } from '../streams/coverage.service.js';
import { PullStreams } from '../streams/pull-streams.service.js';
import type { PullTaskEntity } from './pull-task.entity.js';
import { PullTasksRepository } from './pull-tasks.repository.js';

const fromTheStart = {
  ...{ next_cursor: null, pages: 0, records: 0, reached: null },
  ...{ anchor_cursor: null, anchor_content: null, empty_pages: 0, repeated_pages: 0 },
} as const;

/**
 * State changes of a claimed task by its holder (pull-turn.ts). Each returns the updated task, or throws `LeaseLost`
 * and so rolls back the transaction if the caller no longer holds the lease.
 */
@Injectable()
export class HeldPull {
  constructor(
    private readonly tasks: PullTasksRepository,
    private readonly streams: PullStreams,
    private readonly coverage: CoverageService,
    private readonly rejected: RejectedRecords,
  ) {}

  /** Checks the lease while storing part of a page, which does not change the task. */
  assertHeld(tx: Tx, task: PullTaskEntity): Promise<void> {
    return this.tasks.rows.assertHeld(tx, task);
  }

  /** Records a stored page that is not the last. */
  advance(tx: Tx, task: PullTaskEntity): Promise<PullTaskEntity> {
    return this.tasks.rows.heartbeat(tx, task, tx.now, progressOf(task));
  }

  /**
   * Finishes a pull whose last page is stored: the window counts as covered at the time of the first claim, the
   * stream's high-water mark moves, upstream's historical pulls within the window count as fetched, and the task is
   * done. If the source sent data again after a silence, also requests a pull of the time of the silence.
   */
  async finishPull(tx: Tx, task: PullTaskEntity, resource: Resource): Promise<PullTaskEntity> {
    const { now } = tx;
    const { id, account_id: account, provider, origin } = task;
    const begunAt = task.started_at ?? now;
    const confirmedAt = Math.min(begunAt, now);
    const window = { start: task.window_start, end: Math.min(task.window_end, confirmedAt) };
    await tx.lock('account', account);
    const stream = { account, provider, resource: resource.name };
    const regular = origin === 'schedule' || origin === 'connection';
    for (const { provider: source, start, end } of await this.coverage.add(tx, stream, window, { confirmedAt, now })) {
      await this.tasks.request(tx, { ...stream, provider: source, origin: 'reread', start, end }, now);
    }
    await this.streams.pulled(tx, stream, { ...window, regular, requestedAt: task.created_at, now });
    // If the clock was set back since, earlier rejections cannot be distinguished from those of this pull.
    if (begunAt <= now) await this.rejected.windowRead(tx, stream, { ...window, seenBefore: begunAt });
    if (resource.eventName !== null) {
      const asked = { start: task.window_start, end: task.window_end };
      const fetched = { account, provider, eventName: resource.eventName, window: asked, taskId: id };
      await this.coverage.historyFetched(tx, fetched, now);
    }
    return this.tasks.rows.complete(tx, task, null, { ...progressOf(task), ...ended(now), status: 'done' });
  }

  /** Ends the task as failed; a new request starts a new one. */
  bury(tx: Tx, task: PullTaskEntity, code: string): Promise<PullTaskEntity> {
    return this.tasks.rows.bury(tx, task, code, { ...ended(tx.now), status: 'failed' });
  }

  /** Postpones the task; it keeps its cursor. */
  defer(
    tx: Tx,
    task: PullTaskEntity,
    later: { dueAt: number; code: string; counts: boolean },
  ): Promise<PullTaskEntity> {
    return this.tasks.rows.defer(tx, task, later, { status: 'pending' });
  }

  /** Makes the task due now, from the first page. */
  restart(tx: Tx, task: PullTaskEntity, code: string): Promise<PullTaskEntity> {
    const change = { ...fromTheStart, restarts: task.restarts + 1, error_code: code, status: 'pending' } as const;
    return this.tasks.rows.complete(tx, task, tx.now, change);
  }

  /** Ends the turn: the task goes behind the due ones in the queue and keeps its cursor. */
  yield(tx: Tx, task: PullTaskEntity): Promise<PullTaskEntity> {
    return this.tasks.rows.complete(tx, task, tx.now, { status: 'pending' });
  }

  /** Returns the task, with its cursor, for another process to claim. */
  release(tx: Tx, task: PullTaskEntity): Promise<PullTaskEntity> {
    return this.tasks.rows.release(tx, task, { status: 'pending' });
  }
}

function ended(now: number): Change<PullTaskEntity> {
  return { finished_at: now, dedupe_key: null };
}

function progressOf(task: PullTaskEntity): Change<PullTaskEntity> {
  const { next_cursor, pages, records, written, rejected, reached } = task;
  const { anchor_cursor, anchor_content, empty_pages, repeated_pages } = task;
  const guard = { anchor_cursor, anchor_content, empty_pages, repeated_pages };
  return { next_cursor, pages, records, written, rejected, reached, ...guard };
}
