import { Injectable } from '@nestjs/common';
import { HOUR_MS } from '../platform/time.js';
import type { WorkerLoop, WorkOutcome } from '../work/worker-loop.js';
import { WorkerRegistry } from '../work/worker-registry.js';
import { PersonKeys } from './person-keys.service.js';
import { PersonKeysTelemetry } from './person-keys.telemetry.js';

const everyMs = HOUR_MS;

/**
 * Destroys keys whose time is over, and seals rows from before there were keys. Needs no lease: what is sealed or
 * destroyed already is left alone.
 */
@Injectable()
export class PersonKeysWorker {
  readonly loop: WorkerLoop;
  private isSealed = false;

  constructor(
    private readonly keys: PersonKeys,
    private readonly telemetry: PersonKeysTelemetry,
    workers: WorkerRegistry,
  ) {
    this.loop = workers.register({ name: 'person-keys', everyMs, work: () => this.round() });
  }

  private async round(): Promise<WorkOutcome> {
    if (!this.keys.isOn) return 'idle';
    if (!this.isSealed && (await this.sealMore())) return 'more';
    this.isSealed = true;
    await this.keys.retirePeriods();
    return 'idle';
  }

  private async sealMore(): Promise<boolean> {
    let sealed = 0;
    for (const { sealMore } of this.keys.users) sealed += (await sealMore?.()) ?? 0;
    if (sealed > 0) this.telemetry.rowsSealed(sealed);
    return sealed > 0;
  }
}
