import { Injectable } from '@nestjs/common';
import { SyncConfig } from '../config/config.js';
import type { PullStreamEntity } from '../coverage/pull-stream.entity.js';
import { PullStreamsRepository } from '../coverage/pull-streams.repository.js';
import { WriteLane } from '../database/write-lane.js';
import { Clock } from '../platform/clock.js';
import { Loops } from '../work/loops.js';
import type { WorkerLoop, WorkOutcome } from '../work/worker-loop.js';
import { PullTasksRepository, type Request } from './pull-tasks.repository.js';
import { nextSlot } from './slots.js';
import { regularWindow } from './windows.js';

const everyMs = 1_000;
const STREAMS_PER_ROUND = 100;

/**
 * Turns streams that are due into tasks. A task and the stream's next time are stored together, and the streams of a
 * round are locked, so a stream gets one task however many look at it at once, and none is lost in a crash. A stream
 * whose task still waits gets no second one: the one that waits takes over the newer end of its window.
 */
@Injectable()
export class PullScheduleWorker {
  readonly loop: WorkerLoop;

  constructor(
    private readonly lane: WriteLane,
    private readonly streams: PullStreamsRepository,
    private readonly tasks: PullTasksRepository,
    private readonly config: SyncConfig,
    private readonly clock: Clock,
    loops: Loops,
  ) {
    this.loop = loops.make('schedule', everyMs, () => this.work());
  }

  private async work(): Promise<WorkOutcome> {
    const now = this.clock.now();
    const found = await this.lane.run(async (tx) => {
      const due = await this.streams.due(tx, now, STREAMS_PER_ROUND);
      if (due.length === 0) return 0;
      const wanted = due.filter((stream) => this.config.resources.includes(stream.resource));
      await this.tasks.requestRegular(
        tx,
        wanted.map((stream) => this.requestOf(stream, now)),
        now,
      );
      await this.streams.reschedule(
        tx,
        due.map((stream) => ({ ...stream, next_due_at: this.nextDue(stream, now) })),
      );
      return due.length;
    });
    return found > 0 ? 'more' : 'idle';
  }

  private requestOf(
    { account_id: account, provider, resource, covered_until }: PullStreamEntity,
    now: number,
  ): Request {
    const origin = covered_until === null ? 'connection' : 'schedule';
    return { account, provider, resource, origin, window: regularWindow(covered_until, now, this.config) };
  }

  /** None for a paused stream, which was due for its last pull, and for a resource that is no longer synced. */
  private nextDue({ account_id, provider, resource, status }: PullStreamEntity, now: number): number | null {
    if (status === 'paused' || !this.config.resources.includes(resource)) return null;
    return nextSlot(`${account_id}|${provider}|${resource}`, this.config.intervalSeconds * 1_000, now);
  }
}
