import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import type { DestinationStream } from 'pino';
import { Config } from './config/config.js';
import { DatabaseConfig } from './config/database-config.js';
import { Clock, SystemClock } from './platform/clock.js';
import { newId } from './platform/ids.js';
import { Log } from './platform/log.js';
import { Metrics } from './platform/metrics.js';
import { NetworkGate } from './platform/network-gate.js';
import { ThisProcess } from './platform/this-process.js';

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

/**
 * For every wing: each section of the configuration under its class; clock, log, metrics, network gate and the state of
 * this process.
 */
@Module({})
export class PlatformModule {
  static register(config: Config, { clock, log, metrics, gate, thisProcess }: PlatformParts): DynamicModule {
    const sections = Object.values(config).map((section: object): Provider => {
      return { provide: section === config.database ? DatabaseConfig : section.constructor, useValue: section };
    });
    const providers = [
      { provide: Config, useValue: config },
      ...sections,
      { provide: Clock, useValue: clock },
      { provide: Log, useValue: log },
      { provide: Metrics, useValue: metrics },
      { provide: NetworkGate, useValue: gate },
      { provide: ThisProcess, useValue: thisProcess },
    ];
    return { module: PlatformModule, global: true, providers, exports: providers };
  }
}
