import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { Log } from '../../platform/platform/log.js';
import { MAX_CHANGES_NUMBERED, SEQUENCER_EVERY_MS, SEQUENCER_GATHER_MS, SERVER_LOOK_MS } from '../database/tuning.js';
import { WriteLane } from '../database/write-lane.js';
import type { WorkerLoop, WorkOutcome } from '../work/worker-loop.js';
import { WorkerRegistry } from '../work/worker-registry.js';
import { ChangeLogRepository } from './change-log.repository.js';
import { ChangeTail } from './change-tail.js';
import { onNoted } from './note-changes.js';

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
    this.loop = workers.register({ name: 'change-sequencer', everyMs: SEQUENCER_EVERY_MS, work: () => this.round() });
    this.ignore = onNoted(() => this.loop.wakeWithin(SEQUENCER_GATHER_MS));
  }

  onModuleDestroy(): void {
    this.ignore();
  }

  /** Each numbering looks for another history of the server; without changes, this does. */
  private async hasDeparted(): Promise<boolean> {
    const now = this.clock.monotonic();
    if (now < this.lookAt) return false;
    this.lookAt = now + SERVER_LOOK_MS;
    return this.repository.hasDeparted();
  }

  private async round(): Promise<WorkOutcome> {
    if (!(await this.repository.anyPending()) && !(await this.hasDeparted())) return 'idle';
    const numbered = await this.lane.run((tx) => this.repository.number(tx, MAX_CHANGES_NUMBERED, this.clock.now()));
    if (numbered === null) return 'skipped';
    if (numbered.hasDeparted) this.log.event('database.promoted', {}, 'error');
    if (numbered.count > 0) this.tail.numbered(numbered.last);
    return numbered.count > 0 ? 'more' : 'idle';
  }
}
