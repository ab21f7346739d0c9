import { Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts/accounts.module.js';
import { ConnectionsModule } from '../../accounts/connections/connections.module.js';
import { LinkAttemptsModule } from '../../accounts/link-attempts/link-attempts.module.js';
import { HealthDataModule } from '../../health/health-data/health-data.module.js';
import { SourcePrioritiesModule } from '../../health/priorities/source-priorities.module.js';
import { UpstreamModule } from '../../upstream/client/upstream.module.js';
import { PullsModule } from '../pulls/pulls.module.js';
import { AccountSourcesController } from './account-sources.controller.js';
import { ConnectionReconciler } from './connection-reconciler.js';
import { DeviceLooks } from './device-looks.js';
import { Disconnecting } from './disconnecting.service.js';
import { HistoricalPulls } from './historical-pulls.service.js';
import { IngestionPage } from './ingestion-page.js';
import { IngestionStateWorker } from './ingestion-state.worker.js';
import { MeSourcesController } from './me-sources.controller.js';
import { SourceList } from './source-list.service.js';
import { SourcePoll } from './source-poll.js';
import { SourcePollWorker } from './source-poll.worker.js';
import { SourcePollApplier } from './source-poll-applier.js';
import { SourcePollsTelemetry } from './source-polls.telemetry.js';
import { SourcePrioritiesWorker } from './source-priorities.worker.js';
import { SourcesController } from './sources.controller.js';

@Module({
  imports: [
    UpstreamModule,
    AccountsModule,
    ConnectionsModule,
    HealthDataModule,
    SourcePrioritiesModule,
    PullsModule,
    LinkAttemptsModule,
  ],
  controllers: [MeSourcesController, AccountSourcesController, SourcesController],
  providers: [
    SourceList,
    Disconnecting,
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
  ],
  exports: [HistoricalPulls],
})
export class SourcesModule {}
