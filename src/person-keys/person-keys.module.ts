import { Global, Module } from '@nestjs/common';
import { PersonKeysConfig } from '../config/config.js';
import { WriteLane } from '../database/write-lane.js';
import { Clock } from '../platform/clock.js';
import { PersonKeysRepository } from './person-keys.repository.js';
import { PersonKeys } from './person-keys.service.js';
import { PersonKeysTelemetry } from './person-keys.telemetry.js';
import { PersonKeysWorker } from './person-keys.worker.js';

@Global()
@Module({
  providers: [
    PersonKeysRepository,
    PersonKeysTelemetry,
    PersonKeysWorker,
    {
      provide: PersonKeys,
      inject: [PersonKeysConfig, PersonKeysRepository, WriteLane, Clock, PersonKeysTelemetry],
      useFactory: (
        config: PersonKeysConfig,
        repository: PersonKeysRepository,
        lane: WriteLane,
        clock: Clock,
        telemetry: PersonKeysTelemetry,
      ) => PersonKeys.open({ config, repository, lane, clock, telemetry }),
    },
  ],
  exports: [PersonKeys],
})
export class PersonKeysModule {}
