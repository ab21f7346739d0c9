import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts.module.js';
import { HealthDataModule } from '../health-data/health-data.module.js';
import { SyncModule } from '../sync.module.js';
import { CoverageController } from './coverage.controller.js';
import { DailyCoverage } from './daily-coverage.service.js';
import { DayEvidence } from './day-evidence.service.js';

@Module({
  imports: [AccountsModule, HealthDataModule, SyncModule],
  controllers: [CoverageController],
  providers: [DayEvidence, DailyCoverage],
  exports: [DayEvidence],
})
export class DayEvidenceModule {}
