import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { HealthDataModule } from '../health-data/health-data.module.js';
import { OrdersModule } from '../orders/orders.module.js';
import { TokensModule } from '../tokens/tokens.module.js';
import { UpstreamModule } from '../upstream/upstream.module.js';
import { CoverageRepository } from './coverage/coverage.repository.js';
import { CoverageEvidence, EvidenceSources } from './coverage/evidence.service.js';
import { HistoricalPullRepository } from './history/historical-pull.repository.js';
import { HistoryRecorder } from './history/history.recorder.js';
import { SourceCheckStore } from './history/source-check.store.js';
import { SourceCheckWorker, Sources } from './history/source-check.worker.js';
import { SourceList } from './history/source-list.js';
import { SourceLook } from './history/source-look.js';
import { AccountSync } from './inspection/account-sync.js';
import { SyncController } from './inspection/sync.controller.js';
import { SyncInspection } from './inspection/sync-inspection.service.js';
import { TaskReadsRepository } from './inspection/task-reads.repository.js';
import { RecoveriesController } from './recovery/http/recoveries.controller.js';
import { Recoveries } from './recovery/recoveries.service.js';
import { RecoveryEvents } from './recovery/recovery.events.js';
import { RecoveryReader } from './recovery/recovery.reader.js';
import { RecoveryRepository } from './recovery/recovery.repository.js';
import { RecoveryWorker } from './recovery/recovery.worker.js';
import { RecoveryPlanner } from './recovery/recovery-planner.js';
import { RecoveryScopes } from './recovery/recovery-scopes.js';
import { ScheduleWorker } from './schedule/schedule.worker.js';
import { StreamRepository } from './schedule/stream.repository.js';
import { StreamFetchController } from './streams/http/stream-fetch.controller.js';
import { StreamEvents } from './streams/stream.events.js';
import { StreamFetchRepository } from './streams/stream-fetch.repository.js';
import { StreamFetchWorker } from './streams/stream-fetch.worker.js';
import { StreamFetcher } from './streams/stream-fetcher.js';
import { StreamStore } from './streams/stream-store.js';
import { WorkoutStreams } from './streams/workout-streams.service.js';
import { SyncEvents } from './sync.events.js';
import { SyncService } from './sync.service.js';
import { SyncContext } from './sync-context.js';
import { BackfillWorker } from './tasks/backfill.worker.js';
import { PageFetcher } from './tasks/page-fetcher.js';
import { PageStore } from './tasks/page-store.js';
import { TaskRepository } from './tasks/task.repository.js';
import { TaskStore } from './tasks/task.store.js';
import { TaskRunner } from './tasks/task-runner.js';

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
