import { Module } from '@nestjs/common';
import { AccountsModule } from './accounts.module.js';
import { CoverageModule } from './coverage/coverage.module.js';
import { DataHandler } from './events/data.handler.js';
import { EventOwner } from './events/event-owner.js';
import { EventRoutes } from './events/event-routes.js';
import { LabHandler } from './events/lab.handler.js';
import { SourceHandler } from './events/source.handler.js';
import { HealthDataModule } from './health-data/health-data.module.js';
import { BodiesRepository } from './inbox/bodies.repository.js';
import { InboxRepository } from './inbox/inbox.repository.js';
import { InboxService } from './inbox/inbox.service.js';
import { InboxTelemetry } from './inbox/inbox.telemetry.js';
import { InboxWorker } from './inbox/inbox.worker.js';
import { MessageProcessor } from './inbox/message.processor.js';
import { MessagesController } from './inbox/messages.controller.js';
import { MessagesRepository } from './inbox/messages.repository.js';
import { MessagesService } from './inbox/messages.service.js';
import { RetentionWorker } from './inbox/retention.worker.js';
import { OrderIntakeModule } from './order-intake/order-intake.module.js';
import { PullsModule } from './pulls/pulls.module.js';
import { SourcePollsModule } from './source-polls/source-polls.module.js';
import { TokensModule } from './tokens.module.js';
import { UpstreamModule } from './upstream/upstream.module.js';
import { WorkoutSeriesModule } from './workout-series/workout-series.module.js';

/** Takes deliveries in and turns them into effects. The route itself is added by `registerWebhookRoute`. */
@Module({
  imports: [
    AccountsModule,
    HealthDataModule,
    OrderIntakeModule,
    CoverageModule,
    PullsModule,
    SourcePollsModule,
    WorkoutSeriesModule,
    TokensModule,
    UpstreamModule,
  ],
  controllers: [MessagesController],
  providers: [
    InboxTelemetry,
    InboxRepository,
    InboxService,
    InboxWorker,
    MessageProcessor,
    EventRoutes,
    EventOwner,
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
