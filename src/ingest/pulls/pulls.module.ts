import { Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts/accounts.module.js';
import { ConnectionsModule } from '../../accounts/connections/connections.module.js';
import { HealthDataModule } from '../../health/health-data/health-data.module.js';
import { UpstreamModule } from '../../upstream/client/upstream.module.js';
import { AccountPulls } from './account-pulls.service.js';
import { CompleteLooks } from './complete-looks.service.js';
import { CoverageRepository } from './coverage.repository.js';
import { CoverageService } from './coverage.service.js';
import { HistoricalPullsRepository } from './historical-pulls.repository.js';
import { MissingLooksWorker } from './missing-looks.worker.js';
import { PageFetcher } from './page-fetcher.js';
import { PullWorker } from './pull.worker.js';
import { PullInspection } from './pull-inspection.service.js';
import { PullRunner } from './pull-runner.js';
import { PullScheduleWorker } from './pull-schedule.worker.js';
import { PullStreamsRepository } from './pull-streams.repository.js';
import { PullStreams } from './pull-streams.service.js';
import { PullTask } from './pull-task.js';
import { PullTasksRepository } from './pull-tasks.repository.js';
import { PullTasks } from './pull-tasks.service.js';
import { PullsService } from './pulls.service.js';
import { PullsTelemetry } from './pulls.telemetry.js';
import { StorePage } from './store-page.js';
import { SyncController } from './sync.controller.js';

@Module({
  imports: [UpstreamModule, AccountsModule, ConnectionsModule, HealthDataModule],
  controllers: [SyncController],
  providers: [
    AccountPulls,
    CompleteLooks,
    CoverageRepository,
    CoverageService,
    HistoricalPullsRepository,
    MissingLooksWorker,
    PageFetcher,
    PullInspection,
    PullRunner,
    PullScheduleWorker,
    PullStreams,
    PullStreamsRepository,
    PullTask,
    PullTasks,
    PullTasksRepository,
    PullWorker,
    PullsService,
    PullsTelemetry,
    StorePage,
  ],
  exports: [CoverageService, PullInspection, PullStreams, PullTasks, PullsService],
})
export class PullsModule {}
