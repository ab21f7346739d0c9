import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { HealthDataModule } from '../health-data/health-data.module.js';
import { OrdersModule } from '../orders/orders.module.js';
import { SyncModule } from '../sync/sync.module.js';
import { TokensModule } from '../tokens/tokens.module.js';
import { UpstreamModule } from '../upstream/upstream.module.js';
import { EventRoutes } from './event-routes.js';
import { DataHandler } from './handlers/data.handler.js';
import { LabHandler } from './handlers/lab.handler.js';
import { SourceHandler } from './handlers/source.handler.js';
import { InboxEvents } from './inbox.events.js';
import { InboxRepository } from './inbox.repository.js';
import { InboxService } from './inbox.service.js';
import { InboxWorker } from './inbox.worker.js';
import { MessagesController } from './messages/messages.controller.js';
import { MessagesRepository } from './messages/messages.repository.js';
import { MessagesService } from './messages/messages.service.js';
import { EventOwners } from './processing/event-owners.js';
import { MessageProcessor } from './processing/message.processor.js';
import { BodiesRepository } from './retention/bodies.repository.js';
import { RetentionWorker } from './retention/retention.worker.js';

/** Takes deliveries in and turns them into effects. The route itself is added by `registerWebhookRoute`. */
@Module({
  imports: [AccountsModule, HealthDataModule, OrdersModule, SyncModule, TokensModule, UpstreamModule],
  controllers: [MessagesController],
  providers: [
    InboxEvents,
    InboxRepository,
    InboxService,
    InboxWorker,
    MessageProcessor,
    EventRoutes,
    EventOwners,
    DataHandler,
    SourceHandler,
    LabHandler,
    MessagesRepository,
    MessagesService,
    BodiesRepository,
    RetentionWorker,
  ],
  exports: [InboxService, InboxWorker, MessagesService],
})
export class WebhooksModule {}
