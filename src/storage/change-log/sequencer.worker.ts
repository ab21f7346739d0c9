import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { WriteLane } from '../database/write-lane.js';
import type { WorkerLoop, WorkOutcome } from '../work/worker-loop.js';
import { WorkerRegistry } from '../work/worker-registry.js';
import { ChangeLogRepository } from './change-log.repository.js';
import { ChangeTail } from './change-tail.js';
import { onNoted } from './note-changes.js';

/** How often changes noted by other processes are looked for. */
const everyMs = 100;
/** Changes noted within this time are numbered together. */
const GATHER_MS = 15;
/** Maximum numbered in one write job; larger jobs would delay webhooks. */
const BATCH = 300;

/** Numbers committed changes. */
@Injectable()
export class SequencerWorker implements OnModuleDestroy {
  readonly loop: WorkerLoop;
  private readonly ignore: () => void;
  private gathering: NodeJS.Timeout | null = null;

  constructor(
    private readonly repository: ChangeLogRepository,
    private readonly tail: ChangeTail,
    private readonly lane: WriteLane,
    workers: WorkerRegistry,
  ) {
    this.loop = workers.register({ name: 'change-sequencer', everyMs, work: () => this.round() });
    this.ignore = onNoted(() => {
      this.gathering ??= setTimeout(() => {
        this.gathering = null;
        this.loop.wake();
      }, GATHER_MS).unref();
    });
  }

  onModuleDestroy(): void {
    this.ignore();
    if (this.gathering) clearTimeout(this.gathering);
  }

  private async round(): Promise<WorkOutcome> {
    if (!(await this.repository.anyPending())) return 'idle';
    const numbered = await this.lane.run((tx) => this.repository.number(tx, BATCH));
    if (numbered === null) return 'skipped';
    if (numbered.count > 0) this.tail.numbered(numbered.last);
    return numbered.count > 0 ? 'more' : 'idle';
  }
}
