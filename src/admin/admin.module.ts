import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { HealthDataModule } from '../health-data/health-data.module.js';
import { SyncModule } from '../sync/sync.module.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { OverviewController } from './overview.controller.js';
import { OverviewMetrics } from './overview.metrics.js';
import { OverviewReader } from './overview.reader.js';
import { OverviewService } from './overview.service.js';
import { ProvenanceReader } from './provenance.reader.js';
import { RecordsController } from './records.controller.js';

@Module({
  imports: [AccountsModule, HealthDataModule, SyncModule, WebhooksModule],
  controllers: [OverviewController, RecordsController],
  providers: [OverviewReader, OverviewService, OverviewMetrics, ProvenanceReader],
})
export class AdminModule {}
