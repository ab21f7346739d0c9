import { Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts/accounts.module.js';
import { HealthDataModule } from '../../health/health-data/health-data.module.js';
import { UpstreamModule } from '../../upstream/client/upstream.module.js';
import { PullsModule } from '../pulls/pulls.module.js';
import { IngestionPage } from './ingestion-page.js';
import { IngestionStateTelemetry } from './ingestion-state.telemetry.js';
import { IngestionStateWorker } from './ingestion-state.worker.js';
import { IngestionWalkRepository } from './ingestion-walk.repository.js';

@Module({
  imports: [UpstreamModule, AccountsModule, PullsModule, HealthDataModule],
  providers: [IngestionWalkRepository, IngestionStateTelemetry, IngestionPage, IngestionStateWorker],
})
export class IngestionStateModule {}
