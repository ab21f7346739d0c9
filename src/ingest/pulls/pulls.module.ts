import { Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts/accounts.module.js';
import { ConnectionsModule } from '../../accounts/connections/connections.module.js';
import { HealthDataModule } from '../../health/health-data/health-data.module.js';
import { UpstreamModule } from '../../upstream/client/upstream.module.js';
import { CompleteLooks } from './complete-looks.service.js';
import { CoverageRepository } from './coverage.repository.js';
import { CoverageService } from './coverage.service.js';
import { HeldPull } from './held-pull.js';
import { HistoricalPullsRepository } from './historical-pulls.repository.js';
import { ListedPulls } from './listed-pulls.service.js';
import { MissingLooksWorker } from './missing-looks.worker.js';
import { PageFetcher } from './page-fetcher.js';
import { PullWorker } from './pull.worker.js';
import { PullInspection } from './pull-inspection.service.js';
import { PullRequests } from './pull-requests.service.js';
import { PullScheduleWorker } from './pull-schedule.worker.js';
import { PullStreamsRepository } from './pull-streams.repository.js';
import { PullStreams } from './pull-streams.service.js';
import { PullTasksRepository } from './pull-tasks.repository.js';
import { PullTurn } from './pull-turn.js';
import { PullsTelemetry } from './pulls.telemetry.js';
import { StorePage } from './store-page.js';
import { SyncController } from './sync.controller.js';

@Module({
  imports: [UpstreamModule, AccountsModule, ConnectionsModule, HealthDataModule],
  controllers: [SyncController],
  providers: [
    CompleteLooks,
    CoverageRepository,
    CoverageService,
    HistoricalPullsRepository,
    MissingLooksWorker,
    PageFetcher,
    PullInspection,
    PullTurn,
    PullScheduleWorker,
    PullStreams,
    PullStreamsRepository,
    HeldPull,
    ListedPulls,
    PullTasksRepository,
    PullWorker,
    PullRequests,
    PullsTelemetry,
    StorePage,
  ],
  exports: [CoverageService, PullInspection, PullStreams, ListedPulls, PullRequests],
})
export class PullsModule {}
