import { Module } from '@nestjs/common';
import { AccountsModule } from './accounts.module.js';
import { DataHandler } from './events/data.handler.js';
import { EventOwners } from './events/event-owner.js';
import { EventRoutes } from './events/event-routes.js';
import { LabHandler } from './events/lab.handler.js';
import { SourceHandler } from './events/source.handler.js';
import { HealthDataModule } from './health-data/health-data.module.js';
import { OrdersModule } from './orders.module.js';
import { SyncModule } from './sync.module.js';
import { TokensModule } from './tokens.module.js';
import { UpstreamModule } from './upstream/upstream.module.js';
import { InboxEvents } from './webhooks/inbox.events.js';
import { InboxRepository } from './webhooks/inbox.repository.js';
import { InboxService } from './webhooks/inbox.service.js';
import { InboxWorker } from './webhooks/inbox.worker.js';
import { MessagesController } from './webhooks/messages/messages.controller.js';
import { MessagesRepository } from './webhooks/messages/messages.repository.js';
import { MessagesService } from './webhooks/messages/messages.service.js';
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
