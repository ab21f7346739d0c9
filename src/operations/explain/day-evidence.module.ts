import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { ConnectionsModule } from '../connections/connections.module.js';
import { CoverageModule } from '../coverage/coverage.module.js';
import { HealthDataModule } from '../health-data/health-data.module.js';
import { PullsModule } from '../pulls/pulls.module.js';
import { RejectedRecordsModule } from '../rejected-records/rejected-records.module.js';
import { SourcePollsModule } from '../source-polls/source-polls.module.js';
import { CoverageController } from './coverage.controller.js';
import { DailyCoverage } from './daily-coverage.service.js';
import { DayEvidence } from './day-evidence.service.js';

@Module({
  imports: [
    AccountsModule,
    ConnectionsModule,
    HealthDataModule,
    CoverageModule,
    PullsModule,
    SourcePollsModule,
    RejectedRecordsModule,
  ],
  controllers: [CoverageController],
  providers: [DayEvidence, DailyCoverage],
  exports: [DayEvidence],
})
export class DayEvidenceModule {}
