import { Module } from '@nestjs/common';
import { AccountsModule } from './accounts.module.js';
import { AccountDetailController } from './admin/account-detail.controller.js';
import { AccountDetail } from './admin/account-detail.service.js';
import { OverviewController } from './admin/overview.controller.js';
import { OverviewMetrics } from './admin/overview.metrics.js';
import { OverviewReader } from './admin/overview.reader.js';
import { OverviewService } from './admin/overview.service.js';
import { CoverageController } from './day-evidence/coverage.controller.js';
import { CoverageService } from './day-evidence/coverage.service.js';
import { RecordDaysReader } from './day-evidence/record-days.reader.js';
import { ExplainController } from './explain/explain.controller.js';
import { ExplainReader } from './explain/explain.reader.js';
import { ExplainService, ExplainSettings } from './explain/explain.service.js';
import { HealthDataModule } from './health-data/health-data.module.js';
import { RecordsController } from './records/admin-records.controller.js';
import { ProvenanceReader } from './records/provenance.reader.js';
import { SyncModule } from './sync.module.js';
import { TimelineController } from './timeline/timeline.controller.js';
import { TimelineReader } from './timeline/timeline.reader.js';
import { TimelineService } from './timeline/timeline.service.js';
import { TokensModule } from './tokens.module.js';
import { WebhooksModule } from './webhooks.module.js';

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
