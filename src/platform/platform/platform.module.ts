import { type DynamicModule, Module } from '@nestjs/common';
import { Clock } from './clock.js';
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

/** Clock, log, metrics, the network gate and what the process knows of itself, for every room. */
@Module({})
export class PlatformModule {
  static register({ clock, log, metrics, gate, thisProcess }: PlatformParts): DynamicModule {
    return {
      module: PlatformModule,
      global: true,
      providers: [
        { provide: Clock, useValue: clock },
        { provide: Log, useValue: log },
        { provide: Metrics, useValue: metrics },
        { provide: NetworkGate, useValue: gate },
        { provide: ThisProcess, useValue: thisProcess },
      ],
      exports: [Clock, Log, Metrics, NetworkGate, ThisProcess],
    };
  }
}
