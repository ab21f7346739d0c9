import { Module } from '@nestjs/common';
import { AccountsModule } from './accounts/accounts.module.js';
import { OverviewController } from './admin/overview.controller.js';
import { OverviewMetrics } from './admin/overview.metrics.js';
import { OverviewReader } from './admin/overview.reader.js';
import { OverviewService } from './admin/overview.service.js';
import { HealthDataModule } from './health-data/health-data.module.js';
import { InboxModule } from './inbox/inbox.module.js';
import { LinkAttemptsModule } from './link-attempts/link-attempts.module.js';
import { PullAdminModule } from './pull-admin/pull-admin.module.js';
import { TimelineController } from './timeline/timeline.controller.js';
import { TimelineReader } from './timeline/timeline.reader.js';
import { TimelineService } from './timeline/timeline.service.js';

@Module({
  imports: [AccountsModule, HealthDataModule, PullAdminModule, LinkAttemptsModule, InboxModule],
  controllers: [OverviewController, TimelineController],
  providers: [OverviewReader, OverviewService, OverviewMetrics, TimelineReader, TimelineService],
})
export class AdminModule {}
