import { Module } from '@nestjs/common';
import { AccountsModule } from './accounts.module.js';
import { CoverageRepository } from './coverage/coverage.repository.js';
import { HistoricalPullRepository } from './coverage/historical-pulls.repository.js';
import { StreamRepository } from './coverage/pull-streams.repository.js';
import { CoverageEvidence, EvidenceSources } from './day-evidence/evidence.service.js';
import { HealthDataModule } from './health-data/health-data.module.js';
import { OrdersModule } from './orders.module.js';
import { AccountSync } from './pull-admin/account-pulls.service.js';
import { SyncInspection } from './pull-admin/pull-inspection.service.js';
import { SyncController } from './pull-admin/sync.controller.js';
import { PageFetcher } from './pulls/page-fetcher.js';
import { BackfillWorker } from './pulls/pull.worker.js';
import { TaskRunner } from './pulls/pull-runner.js';
import { ScheduleWorker } from './pulls/pull-schedule.worker.js';
import { TaskStore } from './pulls/pull-task.js';
import { TaskReadsRepository } from './pulls/pull-tasks.reader.js';
import { TaskRepository } from './pulls/pull-tasks.repository.js';
import { SyncService } from './pulls/pulls.service.js';
import { SyncEvents } from './pulls/pulls.telemetry.js';
import { PageStore } from './pulls/store-page.js';
import { SyncContext } from './pulls/sync-context.js';
import { RecoveriesController } from './recoveries/recoveries.controller.js';
import { Recoveries } from './recoveries/recoveries.service.js';
import { RecoveryReader } from './recoveries/recovery.reader.js';
import { RecoveryRepository } from './recoveries/recovery.repository.js';
import { RecoveryEvents } from './recoveries/recovery.telemetry.js';
import { RecoveryWorker } from './recoveries/recovery.worker.js';
import { RecoveryPlanner } from './recoveries/recovery-planner.js';
import { RecoveryScopes } from './recoveries/recovery-validator.js';
import { SourceList } from './source-polls/connection-reconciler.js';
import { HistoryRecorder } from './source-polls/historical-pull-recorder.js';
import { SourceLook } from './source-polls/source-poll.js';
import { SourceCheckWorker, Sources } from './source-polls/source-poll.worker.js';
import { SourceCheckStore } from './source-polls/source-poll-applier.js';
import { TokensModule } from './tokens.module.js';
import { UpstreamModule } from './upstream/upstream.module.js';
import { StreamFetchWorker } from './workout-series/series-fetch.worker.js';
import { StreamFetcher } from './workout-series/series-fetcher.js';
import { StreamFetchRepository } from './workout-series/series-fetches.repository.js';
import { StreamStore } from './workout-series/store-series.js';
import { StreamFetchController } from './workout-series/workout-series.controller.js';
import { WorkoutStreams } from './workout-series/workout-series.service.js';
import { StreamEvents } from './workout-series/workout-series.telemetry.js';

@Module({
  imports: [UpstreamModule, AccountsModule, HealthDataModule, TokensModule, OrdersModule],
  controllers: [SyncController, StreamFetchController, RecoveriesController],
  providers: [
    TaskRepository,
    StreamRepository,
    CoverageRepository,
    HistoricalPullRepository,
    TaskReadsRepository,
    SyncEvents,
    SyncContext,
    HistoryRecorder,
    SyncService,
    TaskStore,
    PageFetcher,
    PageStore,
    TaskRunner,
    BackfillWorker,
    ScheduleWorker,
    SourceLook,
    SourceList,
    SourceCheckStore,
    Sources,
    SourceCheckWorker,
    SyncInspection,
    AccountSync,
    EvidenceSources,
    CoverageEvidence,
    StreamEvents,
    StreamFetchRepository,
    StreamFetcher,
    StreamStore,
    StreamFetchWorker,
    WorkoutStreams,
    RecoveryReader,
    RecoveryRepository,
    RecoveryEvents,
    RecoveryScopes,
    Recoveries,
    RecoveryPlanner,
    RecoveryWorker,
  ],
  exports: [
    SyncService,
    WorkoutStreams,
    SyncInspection,
    AccountSync,
    CoverageEvidence,
    BackfillWorker,
    ScheduleWorker,
    SourceCheckWorker,
  ],
})
export class SyncModule {}
