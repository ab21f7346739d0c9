import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { ThisProcess } from '../../platform/platform/this-process.js';
import type { WorkerLoop, WorkOutcome } from '../../storage/work/worker-loop.js';
import { WorkerRegistry } from '../../storage/work/worker-registry.js';
import { ErasureFences } from './erasure-fences.service.js';
import { FENCES_EVERY_MS } from './tuning.js';

/** Checks that the keys of all fences are known. Needs no lease: it writes nothing. */
@Injectable()
export class ErasureFencesWorker {
  readonly loop: WorkerLoop;

  constructor(
    private readonly fences: ErasureFences,
    private readonly thisProcess: ThisProcess,
    private readonly clock: Clock,
    workers: WorkerRegistry,
  ) {
    this.loop = workers.register({ name: 'erasure-fences', everyMs: FENCES_EVERY_MS, work: () => this.round() });
  }

  private async round(): Promise<WorkOutcome> {
    if (await this.fences.areReadable()) this.thisProcess.clear('fence_key_missing');
    else this.thisProcess.note('fence_key_missing', this.clock.now());
    return 'idle';
  }
}
