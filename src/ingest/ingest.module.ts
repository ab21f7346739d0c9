import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { HealthModule } from '../health/health.module.js';
import { LabsModule } from '../labs/labs.module.js';
import { UpstreamModule } from '../upstream/upstream.module.js';
import { AuditCycle } from './audits/audit-cycle.js';
import { AuditLooks } from './audits/audit-looks.js';
import { AuditProgress } from './audits/audit-progress.service.js';
import { AuditRepairs } from './audits/audit-repairs.js';
import { AuditSampleWorker } from './audits/audit-sample.worker.js';
import { AuditStreams } from './audits/audit-streams.js';
import { AuditsController } from './audits/audits.controller.js';
import { AuditsRepository } from './audits/audits.repository.js';
import { Audits } from './audits/audits.service.js';
import { AuditsWorker } from './audits/audits.worker.js';
import { DayVerdicts } from './audits/day-verdicts.js';
import { PatientLooks } from './audits/patient-looks.js';
import { ThinnedDays } from './audits/thinned-days.service.js';
import { DataHandler } from './events/data.handler.js';
import { EventsService } from './events/events.service.js';
import { LabHandler } from './events/lab.handler.js';
import { OwnerLookupsRepository } from './events/owner-lookups.repository.js';
import { OwnerLookups } from './events/owner-lookups.service.js';
import { OwnerLookupsTelemetry } from './events/owner-lookups.telemetry.js';
import { OwnerLookupsWorker } from './events/owner-lookups.worker.js';
import { OwnerSearch } from './events/owner-search.js';
import { SourceHandler } from './events/source.handler.js';
import { UpstreamUserSearch } from './events/upstream-user-search.js';
import { BrokerTelemetry } from './inbox/broker.telemetry.js';
import { BrokerWorker } from './inbox/broker.worker.js';
import { InboxRepository } from './inbox/inbox.repository.js';
import { InboxService } from './inbox/inbox.service.js';
import { InboxTelemetry } from './inbox/inbox.telemetry.js';
import { InboxWorker } from './inbox/inbox.worker.js';
import { MessageOutcomes } from './inbox/message.outcomes.js';
import { MessageProcessor } from './inbox/message.processor.js';
import { MessageRecordStore } from './inbox/message.records.js';
import { MessagesController } from './inbox/messages.controller.js';
import { MessagesRepository } from './inbox/messages.repository.js';
import { MessagesService } from './inbox/messages.service.js';
import { OldBodies } from './inbox/old-bodies.service.js';
import { ReplayTurn } from './inbox/replay-turn.js';
import { ReplaysController } from './inbox/replays.controller.js';
import { ReplaysRepository } from './inbox/replays.repository.js';
import { Replays } from './inbox/replays.service.js';
import { SecretUses } from './inbox/secret-uses.js';
import { CompleteLooks } from './pulls/complete-looks.service.js';
import { HeldPull } from './pulls/held-pull.js';
import { ListedPulls } from './pulls/listed-pulls.service.js';
import { MissingLooksWorker } from './pulls/missing-looks.worker.js';
import { OperatorPulls } from './pulls/operator-pulls.service.js';
import { PageFetcher } from './pulls/page-fetcher.js';
import { PageStore } from './pulls/page-store.js';
import { PullWorker } from './pulls/pull.worker.js';
import { PullInspection } from './pulls/pull-inspection.service.js';
import { PullRequests } from './pulls/pull-requests.service.js';
import { PullScheduleWorker } from './pulls/pull-schedule.worker.js';
import { PullTasksRepository } from './pulls/pull-tasks.repository.js';
import { PullTurn } from './pulls/pull-turn.js';
import { PullsTelemetry } from './pulls/pulls.telemetry.js';
import { SyncController } from './pulls/sync.controller.js';
import { AffectedAccounts } from './recoveries/affected-accounts.js';
import { RecoveriesController } from './recoveries/recoveries.controller.js';
import { Recoveries } from './recoveries/recoveries.service.js';
import { RecoveryRepository } from './recoveries/recovery.repository.js';
import { RecoveryTelemetry } from './recoveries/recovery.telemetry.js';
import { RecoveryWorker } from './recoveries/recovery.worker.js';
import { RecoveryEnd } from './recoveries/recovery-end.js';
import { RecoveryPlanner } from './recoveries/recovery-planner.js';
import { RecoveryValidator } from './recoveries/recovery-validator.js';
import { AccountSourcesController } from './sources/account-sources.controller.js';
import { ConnectionReconciler } from './sources/connection-reconciler.js';
import { DeviceLooks } from './sources/device-looks.js';
import { Disconnecting } from './sources/disconnecting.service.js';
import { HistoricalPulls } from './sources/historical-pulls.service.js';
import { IngestionPage } from './sources/ingestion-page.js';
import { IngestionStateWorker } from './sources/ingestion-state.worker.js';
import { MeSourcesController } from './sources/me-sources.controller.js';
import { ReplacedSources } from './sources/replaced-sources.service.js';
import { SourceList } from './sources/source-list.service.js';
import { SourcePoll } from './sources/source-poll.js';
import { SourcePollWorker } from './sources/source-poll.worker.js';
import { SourcePollApplier } from './sources/source-poll-applier.js';
import { SourcePollsTelemetry } from './sources/source-polls.telemetry.js';
import { SourcePrioritiesWorker } from './sources/source-priorities.worker.js';
import { SourcesController } from './sources/sources.controller.js';
import { CoverageRepository } from './streams/coverage.repository.js';
import { CoverageService } from './streams/coverage.service.js';
import { HistoricalPullsRepository } from './streams/historical-pulls.repository.js';
import { PullStreamsRepository } from './streams/pull-streams.repository.js';
import { PullStreams } from './streams/pull-streams.service.js';
import { SeriesFetchWorker } from './workout-series/series-fetch.worker.js';
import { SeriesFetcher } from './workout-series/series-fetcher.js';
import { SeriesFetchesRepository } from './workout-series/series-fetches.repository.js';
import { WorkoutSeriesController } from './workout-series/workout-series.controller.js';
import { WorkoutSeries } from './workout-series/workout-series.service.js';

/** Incoming data: the inbox of webhooks, pulls, sources and recoveries. */
@Module({
  imports: [UpstreamModule, AccountsModule, HealthModule, LabsModule],
  controllers: [
    SyncController,
    WorkoutSeriesController,
    MeSourcesController,
    AccountSourcesController,
    SourcesController,
    MessagesController,
    ReplaysController,
    RecoveriesController,
    AuditsController,
  ],
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
    OperatorPulls,
    PullsTelemetry,
    PageStore,
    SeriesFetchesRepository,
    SeriesFetcher,
    SeriesFetchWorker,
    WorkoutSeries,
    DataHandler,
    EventsService,
    LabHandler,
    OwnerLookups,
    OwnerLookupsRepository,
    OwnerLookupsTelemetry,
    OwnerLookupsWorker,
    OwnerSearch,
    SourceHandler,
    UpstreamUserSearch,
    SourceList,
    Disconnecting,
    ReplacedSources,
    HistoricalPulls,
    DeviceLooks,
    IngestionPage,
    IngestionStateWorker,
    SourcePoll,
    ConnectionReconciler,
    SourcePollApplier,
    SourcePollsTelemetry,
    SourcePollWorker,
    SourcePrioritiesWorker,
    InboxRepository,
    InboxService,
    InboxTelemetry,
    InboxWorker,
    BrokerTelemetry,
    BrokerWorker,
    MessageOutcomes,
    MessageProcessor,
    MessageRecordStore,
    MessagesRepository,
    MessagesService,
    ReplayTurn,
    Replays,
    ReplaysRepository,
    OldBodies,
    SecretUses,
    RecoveryRepository,
    RecoveryTelemetry,
    AffectedAccounts,
    RecoveryValidator,
    Recoveries,
    RecoveryPlanner,
    RecoveryEnd,
    RecoveryWorker,
    AuditsRepository,
    ThinnedDays,
    AuditCycle,
    AuditStreams,
    AuditLooks,
    DayVerdicts,
    PatientLooks,
    AuditRepairs,
    AuditsWorker,
    AuditSampleWorker,
    AuditProgress,
    Audits,
  ],
  exports: [
    Audits,
    AuditProgress,
    CoverageService,
    PullInspection,
    PullStreams,
    ListedPulls,
    PullRequests,
    WorkoutSeries,
    EventsService,
    OwnerLookups,
    HistoricalPulls,
    InboxService,
    MessagesService,
    SecretUses,
  ],
})
export class IngestModule {}
