import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { HealthDataModule } from '../health-data/health-data.module.js';
import { SyncModule } from '../sync/sync.module.js';
import { TokensModule } from '../tokens/tokens.module.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { AccountDetailController } from './accounts/account-detail.controller.js';
import { AccountDetail } from './accounts/account-detail.service.js';
import { CoverageController } from './coverage/coverage.controller.js';
import { CoverageService } from './coverage/coverage.service.js';
import { RecordDaysReader } from './coverage/record-days.reader.js';
import { ExplainController } from './explain/explain.controller.js';
import { ExplainReader } from './explain/explain.reader.js';
import { ExplainService, ExplainSettings } from './explain/explain.service.js';
import { OverviewController } from './overview.controller.js';
import { OverviewMetrics } from './overview.metrics.js';
import { OverviewReader } from './overview.reader.js';
import { OverviewService } from './overview.service.js';
import { ProvenanceReader } from './provenance.reader.js';
import { RecordsController } from './records.controller.js';
import { TimelineController } from './timeline/timeline.controller.js';
import { TimelineReader } from './timeline/timeline.reader.js';
import { TimelineService } from './timeline/timeline.service.js';

@Module({
  imports: [AccountsModule, HealthDataModule, SyncModule, TokensModule, WebhooksModule],
  controllers: [
    AccountDetailController,
    OverviewController,
    RecordsController,
    TimelineController,
    CoverageController,
    ExplainController,
  ],
  providers: [
    AccountDetail,
    OverviewReader,
    OverviewService,
    OverviewMetrics,
    ProvenanceReader,
    TimelineReader,
    TimelineService,
    RecordDaysReader,
    CoverageService,
    ExplainReader,
    ExplainSettings,
    ExplainService,
  ],
})
export class AdminModule {}
