import { type DynamicModule, Module } from '@nestjs/common';
import { Clock } from './clock.js';
import { Log } from './log.js';
import { Metrics } from './metrics.js';
import { NetworkGate } from './network-gate.js';

export interface PlatformParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly gate: NetworkGate;
}

/** Clock, log, metrics and the network gate, for every room. */
@Module({})
export class PlatformModule {
  static register({ clock, log, metrics, gate }: PlatformParts): DynamicModule {
    return {
      module: PlatformModule,
      global: true,
      providers: [
        { provide: Clock, useValue: clock },
        { provide: Log, useValue: log },
        { provide: Metrics, useValue: metrics },
        { provide: NetworkGate, useValue: gate },
      ],
      exports: [Clock, Log, Metrics, NetworkGate],
    };
  }
}
