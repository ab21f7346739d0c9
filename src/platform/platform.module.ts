import { type DynamicModule, Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { Loops } from '../work/loops.js';
import { Workers } from '../work/worker-registry.js';
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

/** What every feature stands on. */
@Module({})
export class PlatformModule {
  static register({ clock, log, metrics, gate }: PlatformParts): DynamicModule {
    return {
      module: PlatformModule,
      global: true,
      imports: [ScheduleModule.forRoot()],
      providers: [
        { provide: Clock, useValue: clock },
        { provide: Log, useValue: log },
        { provide: Metrics, useValue: metrics },
        { provide: NetworkGate, useValue: gate },
        Workers,
        Loops,
      ],
      exports: [Clock, Log, Metrics, NetworkGate, Workers, Loops],
    };
  }
}
