import { Module } from '@nestjs/common';
import { LinkAttemptsModule } from '../../accounts/link-attempts/link-attempts.module.js';
import { InboxModule } from '../../ingest/inbox/inbox.module.js';
import { PullsModule } from '../../ingest/pulls/pulls.module.js';
import { UpstreamModule } from '../../upstream/client/upstream.module.js';
import { AlarmsModule } from '../alarms/alarms.module.js';
import { ActivityService } from './activity.service.js';
import { OverviewController } from './overview.controller.js';
import { OverviewMetrics } from './overview.metrics.js';
import { OverviewService } from './overview.service.js';

@Module({
  imports: [AlarmsModule, InboxModule, LinkAttemptsModule, PullsModule, UpstreamModule],
  controllers: [OverviewController],
  providers: [ActivityService, OverviewService, OverviewMetrics],
})
export class AdminModule {}
