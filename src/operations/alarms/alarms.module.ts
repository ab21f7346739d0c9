import { Module } from '@nestjs/common';
import { HealthDataModule } from '../../health/health-data/health-data.module.js';
import { UpstreamModule } from '../../upstream/client/upstream.module.js';
import { AlarmFinder } from './alarm-finder.js';
import { AlarmsController } from './alarms.controller.js';
import { AlarmsRepository } from './alarms.repository.js';
import { AlarmsService } from './alarms.service.js';
import { AlarmsTelemetry } from './alarms.telemetry.js';
import { AlarmsWorker } from './alarms.worker.js';
import { ProcessReports } from './process-reports.js';
import { UpstreamProbeWorker } from './upstream-probe.worker.js';

@Module({
  imports: [HealthDataModule, UpstreamModule],
  controllers: [AlarmsController],
  providers: [
    AlarmFinder,
    AlarmsRepository,
    AlarmsService,
    AlarmsTelemetry,
    AlarmsWorker,
    ProcessReports,
    UpstreamProbeWorker,
  ],
  exports: [AlarmsService],
})
export class AlarmsModule {}
