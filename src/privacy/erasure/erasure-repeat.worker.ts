import { Injectable } from '@nestjs/common';
import { ChangeLog } from '../../storage/change-log/change-log.service.js';
import type { WorkerLoop, WorkOutcome } from '../../storage/work/worker-loop.js';
import { WorkerRegistry } from '../../storage/work/worker-registry.js';
import { ERASURE_REPEAT_EVERY_MS } from '../access-log/tuning.js';
import { RepeatedErasures } from './repeated-erasures.service.js';

/**
 * Repeats the erasures of the journal when the change feed restarts under a running process: the database was restored,
 * or a standby that lagged was promoted, and people erased since may be back.
 */
@Injectable()
export class ErasureRepeatWorker {
  readonly loop: WorkerLoop;
  private feed: string | null = null;

  constructor(
    private readonly changes: ChangeLog,
    private readonly repeated: RepeatedErasures,
    workers: WorkerRegistry,
  ) {
    this.loop = workers.register({
      name: 'erasure-repeat',
      everyMs: ERASURE_REPEAT_EVERY_MS,
      work: () => this.round(),
    });
  }

  private async round(): Promise<WorkOutcome> {
    const { feed } = await this.changes.newest();
    if (this.feed !== null && this.feed !== feed) await this.repeated.run();
    this.feed = feed;
    return 'idle';
  }
}
