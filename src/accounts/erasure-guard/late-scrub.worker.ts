import { Injectable } from '@nestjs/common';
import { type Scrub, Scrubber } from '../../storage/database/scrubber.js';
import type { WorkerLoop, WorkOutcome } from '../../storage/work/worker-loop.js';
import { WorkerRegistry } from '../../storage/work/worker-registry.js';
import { ErasureGuard } from './erasure-guard.service.js';
import { LATE_SCRUB_EVERY_MS } from './tuning.js';

/**
 * Late data of an erased person is stored before its owner is known, and then deleted. On SQLite, its bytes may remain
 * in the write-ahead log. This worker truncates that log independently of deliveries, and retries while readers use it.
 * After a crash, the next start truncates it.
 */
@Injectable()
export class LateScrubWorker {
  readonly loop: WorkerLoop;

  constructor(
    private readonly guard: ErasureGuard,
    private readonly scrubber: Scrubber,
    workers: WorkerRegistry,
  ) {
    this.loop = workers.register({ name: 'late-scrub', everyMs: LATE_SCRUB_EVERY_MS, work: () => this.round() });
  }

  private async round(): Promise<WorkOutcome> {
    if (!this.guard.takeScrub()) return 'idle';
    let scrub: Scrub | null = null;
    try {
      scrub = await this.scrubber.scrub([], false);
    } finally {
      if (scrub === null) this.guard.requestScrub();
    }
    return 'idle';
  }
}
