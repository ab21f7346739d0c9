import { Module } from '@nestjs/common';
import { AccountsModule } from './accounts.module.js';
import { CoverageRepository } from './coverage/coverage.repository.js';
import { HistoricalPullsRepository } from './coverage/historical-pulls.repository.js';
import { PullStreamsRepository } from './coverage/pull-streams.repository.js';
import { HealthDataModule } from './health-data/health-data.module.js';
import { OrderIntakeModule } from './order-intake/order-intake.module.js';
import { AccountPulls } from './pull-admin/account-pulls.service.js';
import { SyncInspection } from './pull-admin/pull-inspection.service.js';
import { SyncController } from './pull-admin/sync.controller.js';
import { PageFetcher } from './pulls/page-fetcher.js';
import { PullWorker } from './pulls/pull.worker.js';
import { PullRunner } from './pulls/pull-runner.js';
import { PullScheduleWorker } from './pulls/pull-schedule.worker.js';
import { PullTask } from './pulls/pull-task.js';
import { PullTasksReader } from './pulls/pull-tasks.reader.js';
import { PullTasksRepository } from './pulls/pull-tasks.repository.js';
import { PullsService } from './pulls/pulls.service.js';
import { PullsTelemetry } from './pulls/pulls.telemetry.js';
import { StorePage } from './pulls/store-page.js';
import { SyncContext } from './pulls/sync-context.js';
import { RecoveriesController } from './recoveries/recoveries.controller.js';
import { Recoveries } from './recoveries/recoveries.service.js';
import { RecoveryReader } from './recoveries/recovery.reader.js';
import { RecoveryRepository } from './recoveries/recovery.repository.js';
import { RecoveryTelemetry } from './recoveries/recovery.telemetry.js';
import { RecoveryWorker } from './recoveries/recovery.worker.js';
import { RecoveryPlanner } from './recoveries/recovery-planner.js';
import { RecoveryValidator } from './recoveries/recovery-validator.js';
import { ConnectionReconciler } from './source-polls/connection-reconciler.js';
import { HistoricalPullRecorder } from './source-polls/historical-pull-recorder.js';
import { SourcePoll } from './source-polls/source-poll.js';
import { SourcePollWorker, Sources } from './source-polls/source-poll.worker.js';
import { SourcePollApplier } from './source-polls/source-poll-applier.js';
import { TokensModule } from './tokens.module.js';
import { UpstreamModule } from './upstream/upstream.module.js';
import { SeriesFetchWorker } from './workout-series/series-fetch.worker.js';
import { SeriesFetcher } from './workout-series/series-fetcher.js';
import { SeriesFetchesRepository } from './workout-series/series-fetches.repository.js';
import { StoreSeries } from './workout-series/store-series.js';
import { WorkoutSeriesController } from './workout-series/workout-series.controller.js';
import { WorkoutSeries } from './workout-series/workout-series.service.js';
import { WorkoutSeriesTelemetry } from './workout-series/workout-series.telemetry.js';

@Module({
  imports: [UpstreamModule, AccountsModule, HealthDataModule, TokensModule, OrderIntakeModule],
  controllers: [SyncController, WorkoutSeriesController, RecoveriesController],
  providers: [
    PullTasksRepository,
    PullStreamsRepository,
    CoverageRepository,
    HistoricalPullsRepository,
    PullTasksReader,
    PullsTelemetry,
    SyncContext,
    HistoricalPullRecorder,
    PullsService,
    PullTask,
    PageFetcher,
    StorePage,
    PullRunner,
    PullWorker,
    PullScheduleWorker,
    SourcePoll,
    ConnectionReconciler,
    SourcePollApplier,
    Sources,
    SourcePollWorker,
    SyncInspection,
    AccountPulls,
    WorkoutSeriesTelemetry,
    SeriesFetchesRepository,
    SeriesFetcher,
    StoreSeries,
    SeriesFetchWorker,
    WorkoutSeries,
    RecoveryReader,
    RecoveryRepository,
    RecoveryTelemetry,
    RecoveryValidator,
    Recoveries,
    RecoveryPlanner,
    RecoveryWorker,
  ],
  exports: [
    PullStreamsRepository,
    CoverageRepository,
    HistoricalPullsRepository,
    PullTasksReader,
    PullsService,
    WorkoutSeries,
    SyncInspection,
    AccountPulls,
    PullWorker,
    PullScheduleWorker,
    SourcePollWorker,
  ],
})
export class SyncModule {}
