import type { DestinationStream } from 'pino';
import type { Config } from '../platform/config/config.js';
import { SystemClock } from '../platform/platform/clock.js';
import { newId } from '../platform/platform/ids.js';
import { Log } from '../platform/platform/log.js';
import { Metrics } from '../platform/platform/metrics.js';
import { NetworkGate } from '../platform/platform/network-gate.js';
import type { PlatformParts } from '../platform/platform/platform.module.js';
import { ThisProcess } from '../platform/platform/this-process.js';
import { Budget } from '../upstream/transport/budget.js';

/** Dependencies that every process provides to its rooms. */
export interface Parts extends PlatformParts {
  readonly budget: Budget;
}

/** In place of what would be made. */
export interface GivenParts extends Partial<Pick<Parts, 'clock' | 'gate'>> {
  readonly logDestination?: DestinationStream;
}

export function partsOf(config: Config, given: GivenParts): Parts {
  const clock = given.clock ?? new SystemClock();
  const instance = newId().slice(0, 8);
  const destination = given.logDestination ? { destination: given.logDestination } : {};
  const thisProcess = new ThisProcess(instance);
  return {
    clock,
    log: new Log({ level: config.log.level, process: { instance, role: config.role.role }, ...destination }),
    metrics: new Metrics(),
    gate: given.gate ?? new NetworkGate(),
    thisProcess,
    budget: new Budget(config.upstream, thisProcess, clock),
  };
}
