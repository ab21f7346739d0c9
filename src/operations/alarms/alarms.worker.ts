import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import type { WorkerLoop, WorkOutcome } from '../../storage/work/worker-loop.js';
import { WorkerRegistry } from '../../storage/work/worker-registry.js';
import { AlarmsService } from './alarms.service.js';
import { ALARMS_EVERY_MS } from './tuning.js';

/**
 * Checks for alarms in every process: only a process that serves HTTP sees refused deliveries, and it must notice when
 * no worker process runs. It needs no lease, because the rows decide which process logs (alarms.service.ts).
 */
@Injectable()
export class AlarmsWorker {
  readonly loop: WorkerLoop;

  constructor(alarms: AlarmsService, clock: Clock, workers: WorkerRegistry) {
    const work = async (): Promise<WorkOutcome> => {
      await alarms.look(clock.now());
      return 'idle';
    };
    this.loop = workers.register({ name: 'alarms', everyMs: ALARMS_EVERY_MS, inEveryRole: true, work });
  }
}
