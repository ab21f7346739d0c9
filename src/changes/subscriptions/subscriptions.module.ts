import { Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts/accounts.module.js';
import { ErasureGuardModule } from '../../accounts/erasure-guard/erasure-guard.module.js';
import { ChangeLogModule } from '../../storage/change-log/change-log.module.js';
import { FeedModule } from '../feed/feed.module.js';
import { PushClient } from './push.client.js';
import { PushFlow } from './push.flow.js';
import { PushSender } from './push.sender.js';
import { PushWorker } from './push.worker.js';
import { PushBodies } from './push-bodies.js';
import { PushLanesWorker } from './push-lanes.worker.js';
import { PushSecrets } from './push-secrets.js';
import { PushesRepository } from './pushes.repository.js';
import { SubscriptionsController } from './subscriptions.controller.js';
import { SubscriptionsRepository } from './subscriptions.repository.js';
import { Subscriptions } from './subscriptions.service.js';
import { PushTelemetry } from './subscriptions.telemetry.js';

@Module({
  imports: [AccountsModule, ChangeLogModule, ErasureGuardModule, FeedModule],
  controllers: [SubscriptionsController],
  providers: [
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
})
export class SubscriptionsModule {}
