import { type DynamicModule, Module } from '@nestjs/common';
import type { DestinationStream } from 'pino';
import type { Config } from '../config/config.js';
import { Clock, SystemClock } from './clock.js';
import { newId } from './ids.js';
import { Log } from './log.js';
import { Metrics } from './metrics.js';
import { NetworkGate } from './network-gate.js';
import { ThisProcess } from './this-process.js';

export interface PlatformParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly gate: NetworkGate;
  readonly thisProcess: ThisProcess;
}

/** Replacements for the default parts. */
interface GivenParts extends Partial<Pick<PlatformParts, 'clock' | 'gate'>> {
  readonly logDestination?: DestinationStream;
}

export function partsOf(config: Config, { clock, gate, logDestination: destination }: GivenParts): PlatformParts {
  const instance = newId().slice(0, 8);
  const process = { instance, role: config.role.role };
  return {
    clock: clock ?? new SystemClock(),
    log: new Log({ level: config.log.level, process, ...(destination && { destination }) }),
    metrics: new Metrics(),
    gate: gate ?? new NetworkGate(),
    thisProcess: new ThisProcess(instance),
  };
}

/** Clock, log, metrics, network gate and the state of this process, for every room. */
@Module({})
export class PlatformModule {
  static register({ clock, log, metrics, gate, thisProcess }: PlatformParts): DynamicModule {
    const providers = [
      { provide: Clock, useValue: clock },
      { provide: Log, useValue: log },
      { provide: Metrics, useValue: metrics },
      { provide: NetworkGate, useValue: gate },
      { provide: ThisProcess, useValue: thisProcess },
    ];
    return { module: PlatformModule, global: true, providers, exports: providers };
  }
}
