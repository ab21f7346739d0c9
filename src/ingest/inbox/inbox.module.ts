import { Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts/accounts.module.js';
import { HealthDataModule } from '../../health/health-data/health-data.module.js';
import { EventsModule } from '../events/events.module.js';
import { PullsModule } from '../pulls/pulls.module.js';
import { InboxRepository } from './inbox.repository.js';
import { InboxService } from './inbox.service.js';
import { InboxTelemetry } from './inbox.telemetry.js';
import { InboxWorker } from './inbox.worker.js';
import { MessageOutcomes } from './message.outcomes.js';
import { MessageProcessor } from './message.processor.js';
import { MessageRecordStore } from './message.records.js';
import { MessagesController } from './messages.controller.js';
import { MessagesRepository } from './messages.repository.js';
import { MessagesService } from './messages.service.js';
import { ReplayTurn } from './replay-turn.js';
import { ReplaysController } from './replays.controller.js';
import { ReplaysRepository } from './replays.repository.js';
import { Replays } from './replays.service.js';
import { RetentionWorker } from './retention.worker.js';
import { SecretUses } from './secret-uses.js';

/** Stores deliveries and applies their events. The route itself is in webhooks.route.ts. */
@Module({
  imports: [AccountsModule, EventsModule, HealthDataModule, PullsModule],
  controllers: [MessagesController, ReplaysController],
  providers: [
    InboxRepository,
    InboxService,
    InboxTelemetry,
    InboxWorker,
    MessageOutcomes,
    MessageProcessor,
    MessageRecordStore,
    MessagesRepository,
    MessagesService,
    ReplayTurn,
    Replays,
    ReplaysRepository,
    RetentionWorker,
    SecretUses,
  ],
  exports: [InboxService, MessagesService, SecretUses],
})
export class InboxModule {}
