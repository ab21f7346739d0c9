import { Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts/accounts.module.js';
import { ConnectionsModule } from '../../accounts/connections/connections.module.js';
import { HealthDataModule } from '../../health/health-data/health-data.module.js';
import { PullsModule } from '../../ingest/pulls/pulls.module.js';
import { SourcesModule } from '../../ingest/sources/sources.module.js';
import { CoverageController } from './coverage.controller.js';
import { DailyCoverage } from './daily-coverage.service.js';
import { DayEvidence } from './day-evidence.service.js';

@Module({
  imports: [AccountsModule, ConnectionsModule, HealthDataModule, PullsModule, SourcesModule],
  controllers: [CoverageController],
  providers: [DayEvidence, DailyCoverage],
  exports: [DayEvidence],
})
export class DayEvidenceModule {}
