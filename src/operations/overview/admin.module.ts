import { Module } from '@nestjs/common';
import { AlarmsModule } from '../alarms/alarms.module.js';
import { InboxModule } from '../inbox/inbox.module.js';
import { LinkAttemptsModule } from '../link-attempts/link-attempts.module.js';
import { PullAdminModule } from '../pull-admin/pull-admin.module.js';
import { OverviewController } from './overview.controller.js';
import { OverviewMetrics } from './overview.metrics.js';
import { OverviewService } from './overview.service.js';

@Module({
  imports: [AlarmsModule, InboxModule, LinkAttemptsModule, PullAdminModule],
  controllers: [OverviewController],
  providers: [OverviewService, OverviewMetrics],
})
export class AdminModule {}
