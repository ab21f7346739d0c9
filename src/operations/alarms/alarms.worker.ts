import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import type { WorkerLoop, WorkOutcome } from '../../storage/work/worker-loop.js';
import { WorkerRegistry } from '../../storage/work/worker-registry.js';
import { AlarmsService } from './alarms.service.js';

const everyMs = 15_000;

/**
 * Looks for alarms, in every process: one that only serves HTTP sees the refused deliveries, and that no other process
 * works. It holds no lease, since all of them find the same and the rows decide who logs it (alarms.service.ts).
 */
@Injectable()
export class AlarmsWorker {
  readonly loop: WorkerLoop;

  constructor(alarms: AlarmsService, clock: Clock, workers: WorkerRegistry) {
    const work = async (): Promise<WorkOutcome> => {
      await alarms.look(clock.now());
      return 'idle';
    };
    this.loop = workers.register({ name: 'alarms', everyMs, inEveryRole: true, work });
  }
}
