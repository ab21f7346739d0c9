import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { Log } from '../../platform/platform/log.js';
import { WriteLane } from '../database/write-lane.js';
import type { WorkerLoop, WorkOutcome } from '../work/worker-loop.js';
import { WorkerRegistry } from '../work/worker-registry.js';
import { ChangeLogRepository } from './change-log.repository.js';
import { ChangeTail } from './change-tail.js';
import { onNoted } from './note-changes.js';

/** Interval of the search for changes that other processes noted. */
const everyMs = 100;
/** Changes noted within this time are numbered together. */
const GATHER_MS = 15;
/** Interval at which the history of the server is read while nothing changes. */
const LOOK_MS = 5_000;
/** Maximum numbered in one write job; larger jobs would delay webhooks. */
const BATCH = 300;

/** Numbers committed changes. */
@Injectable()
export class SequencerWorker implements OnModuleDestroy {
  readonly loop: WorkerLoop;
  private readonly ignore: () => void;
  /** Monotonic time. */
  private lookAt = 0;

  constructor(
    private readonly repository: ChangeLogRepository,
    private readonly tail: ChangeTail,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    private readonly log: Log,
    workers: WorkerRegistry,
  ) {
    this.loop = workers.register({ name: 'change-sequencer', everyMs, work: () => this.round() });
    this.ignore = onNoted(() => this.loop.wakeWithin(GATHER_MS));
  }

  onModuleDestroy(): void {
    this.ignore();
  }

  /** Each numbering looks for another history of the server; without changes, this does. */
  private async hasDeparted(): Promise<boolean> {
    const now = this.clock.monotonic();
    if (now < this.lookAt) return false;
    this.lookAt = now + LOOK_MS;
    return this.repository.hasDeparted();
  }

  private async round(): Promise<WorkOutcome> {
    if (!(await this.repository.anyPending()) && !(await this.hasDeparted())) return 'idle';
    const numbered = await this.lane.run((tx) => this.repository.number(tx, BATCH, this.clock.now()));
    if (numbered === null) return 'skipped';
    if (numbered.hasDeparted) this.log.event('database.promoted', {}, 'error');
    if (numbered.count > 0) this.tail.numbered(numbered.last);
    return numbered.count > 0 ? 'more' : 'idle';
  }
}
