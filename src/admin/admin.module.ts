import { Module } from '@nestjs/common';
import { InboxModule } from '../inbox/inbox.module.js';
import { LinkAttemptsModule } from '../link-attempts/link-attempts.module.js';
import { PullAdminModule } from '../pull-admin/pull-admin.module.js';
import { OverviewController } from './overview.controller.js';
import { OverviewMetrics } from './overview.metrics.js';
import { OverviewReader } from './overview.reader.js';
import { OverviewService } from './overview.service.js';

@Module({
  imports: [InboxModule, LinkAttemptsModule, PullAdminModule],
  controllers: [OverviewController],
  providers: [OverviewReader, OverviewService, OverviewMetrics],
})
export class AdminModule {}
