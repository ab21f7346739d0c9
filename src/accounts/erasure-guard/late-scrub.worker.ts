import { Injectable } from '@nestjs/common';
import { Scrubber } from '../../storage/database/scrubber.js';
import type { WorkerLoop, WorkOutcome } from '../../storage/work/worker-loop.js';
import { WorkerRegistry } from '../../storage/work/worker-registry.js';
import { ErasureGuard } from './erasure-guard.service.js';

const everyMs = 10_000;

/**
 * What came of an erased person was stored before anybody could know whose it is, and deleted again: on SQLite its
 * bytes may still be in the write-ahead log. This cuts the log, away from the delivery, and again later where readers
 * hold it. A process that crashed in between does it at its next start.
 */
@Injectable()
export class LateScrubWorker {
  readonly loop: WorkerLoop;

  constructor(
    private readonly guard: ErasureGuard,
    private readonly scrubber: Scrubber,
    workers: WorkerRegistry,
  ) {
    this.loop = workers.register({ name: 'late-scrub', everyMs, work: () => this.round() });
  }

  private async round(): Promise<WorkOutcome> {
    if (this.guard.takeScrub() && (await this.scrubber.scrub([], false)) === null) this.guard.requestScrub();
    return 'idle';
  }
}
