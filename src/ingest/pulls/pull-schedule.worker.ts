import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import type { WorkerLoop, WorkOutcome } from '../../storage/work/worker-loop.js';
import { WorkerRegistry } from '../../storage/work/worker-registry.js';
import { PullStreamsRepository } from '../streams/pull-streams.repository.js';
import { type PullStream, PullStreams } from '../streams/pull-streams.service.js';
import { MAX_STREAMS_A_ROUND, SCHEDULE_EVERY_MS } from '../streams/tuning.js';
import { type PulledStreamKey, type PullRequest, PullTasksRepository } from './pull-tasks.repository.js';

/**
 * Creates tasks for due streams. A task and the stream's next due time are stored together, and the streams of a round
 * are locked, so concurrent processes create one task per stream and a crash loses none. If the stream's previous task
 * still waits, it takes over the newer end of the window instead. A task that has begun does not, so a paused stream
 * stays due until its last pull is requested.
 */
@Injectable()
export class PullScheduleWorker {
  readonly loop: WorkerLoop;

  constructor(
    private readonly lane: WriteLane,
    private readonly streams: PullStreams,
    private readonly rows: PullStreamsRepository,
    private readonly tasks: PullTasksRepository,
    private readonly clock: Clock,
    workers: WorkerRegistry,
  ) {
    workers.registerDueTimes(rows);
    this.loop = workers.register({ name: 'schedule', everyMs: SCHEDULE_EVERY_MS, work: () => this.work() });
  }

  private async work(): Promise<WorkOutcome> {
    const now = this.clock.now();
    const oldest = await this.rows.oldestDue();
    if (oldest === null || oldest > now) return 'idle';
    const found = await this.lane.run(async (tx) => {
      const due = await this.rows.due(tx, now, MAX_STREAMS_A_ROUND);
      if (due.length === 0) return 0;
      const wanted = due.filter((stream) => this.streams.isSynced(stream.resource));
      const requested = await this.tasks.requestRegular(
        tx,
        wanted.map((stream) => this.requestOf(stream, now)),
        now,
      );
      const requestedNames = new Set(requested.map(nameOf));
      await this.streams.reschedule(tx, due, (stream) => requestedNames.has(nameOf(stream)), now);
      return due.length;
    });
    return found > 0 ? 'more' : 'idle';
  }

  private requestOf(stream: PullStream, now: number): PullRequest {
    const { account_id: account, provider, resource } = stream;
    const origin = stream.covered_until === null ? 'connection' : 'schedule';
    return { account, provider, resource, origin, ...this.streams.windowOf(stream, now) };
  }
}

function nameOf({ account_id, provider, resource }: PulledStreamKey): string {
  return `${account_id}|${provider}|${resource}`;
}
