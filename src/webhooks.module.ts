import { Module } from '@nestjs/common';
import { AccountsModule } from './accounts.module.js';
import { HealthDataModule } from './health-data/health-data.module.js';
import { OrdersModule } from './orders.module.js';
import { SyncModule } from './sync.module.js';
import { TokensModule } from './tokens.module.js';
import { UpstreamModule } from './upstream/upstream.module.js';
import { EventRoutes } from './webhooks/event-routes.js';
import { DataHandler } from './webhooks/handlers/data.handler.js';
import { LabHandler } from './webhooks/handlers/lab.handler.js';
import { SourceHandler } from './webhooks/handlers/source.handler.js';
import { InboxEvents } from './webhooks/inbox.events.js';
import { InboxRepository } from './webhooks/inbox.repository.js';
import { InboxService } from './webhooks/inbox.service.js';
import { InboxWorker } from './webhooks/inbox.worker.js';
import { MessagesController } from './webhooks/messages/messages.controller.js';
import { MessagesRepository } from './webhooks/messages/messages.repository.js';
import { MessagesService } from './webhooks/messages/messages.service.js';
import { EventOwners } from './webhooks/processing/event-owners.js';
import { MessageProcessor } from './webhooks/processing/message.processor.js';
import { BodiesRepository } from './webhooks/retention/bodies.repository.js';
import { RetentionWorker } from './webhooks/retention/retention.worker.js';

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
