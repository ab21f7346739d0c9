import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { LabsModule } from '../labs/labs.module.js';
import { ChangesController } from './feed/changes.controller.js';
import { ConsumersController } from './feed/consumers.controller.js';
import { ConsumersRepository } from './feed/consumers.repository.js';
import { Consumers } from './feed/consumers.service.js';
import { Feed } from './feed/feed.service.js';
import { FeedStream } from './feed/feed.stream.js';
import { FeedAccess } from './feed/feed-access.service.js';
import { FeedEntries } from './feed/feed-entries.service.js';
import { Snapshots } from './feed/snapshots.service.js';
import { SubjectWalk } from './feed/subject-walk.js';
import { AlarmBodies } from './subscriptions/alarm-bodies.js';
import { BrokerClient } from './subscriptions/broker.client.js';
import { PushClient } from './subscriptions/push.client.js';
import { PushFlow } from './subscriptions/push.flow.js';
import { PushSender } from './subscriptions/push.sender.js';
import { PushTelemetry } from './subscriptions/push.telemetry.js';
import { PushWorker } from './subscriptions/push.worker.js';
import { PushBodies } from './subscriptions/push-bodies.js';
import { PushLanesWorker } from './subscriptions/push-lanes.worker.js';
import { PushSecrets } from './subscriptions/push-secrets.js';
import { PushesRepository } from './subscriptions/pushes.repository.js';
import { SubscriptionsController } from './subscriptions/subscriptions.controller.js';
import { SubscriptionsRepository } from './subscriptions/subscriptions.repository.js';
import { Subscriptions } from './subscriptions/subscriptions.service.js';

/** The change feed and the pushes to subscribed endpoints. */
@Module({
  imports: [AccountsModule, LabsModule],
  controllers: [ChangesController, ConsumersController, SubscriptionsController],
  providers: [
    Consumers,
    ConsumersRepository,
    Feed,
    FeedAccess,
    FeedEntries,
    FeedStream,
    Snapshots,
    SubjectWalk,
    AlarmBodies,
    BrokerClient,
    PushBodies,
    PushClient,
    PushesRepository,
    PushFlow,
    PushLanesWorker,
    PushSecrets,
    PushSender,
    PushTelemetry,
    PushWorker,
    Subscriptions,
    SubscriptionsRepository,
  ],
  exports: [FeedEntries],
})
export class ChangesModule {}
