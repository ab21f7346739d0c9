import { Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts/accounts.module.js';
import { ConnectionsModule } from '../../accounts/connections/connections.module.js';
import { LinkAttemptsModule } from '../../accounts/link-attempts/link-attempts.module.js';
import { OrderIntakeModule } from '../../labs/intake/order-intake.module.js';
import { OrdersModule } from '../../labs/orders/orders.module.js';
import { UnmatchedResultsModule } from '../../labs/reviews/unmatched-results.module.js';
import { UpstreamModule } from '../../upstream/client/upstream.module.js';
import { PullsModule } from '../pulls/pulls.module.js';
import { SourcePollsModule } from '../sources/source-polls.module.js';
import { WorkoutSeriesModule } from '../workout-series/workout-series.module.js';
import { DataHandler } from './data.handler.js';
import { EventsService } from './events.service.js';
import { LabHandler } from './lab.handler.js';
import { OwnerLookupsModule } from './owner-lookups.module.js';
import { SourceHandler } from './source.handler.js';

/** Applies events. */
@Module({
  imports: [
    AccountsModule,
    ConnectionsModule,
    OrderIntakeModule,
    OrdersModule,
    PullsModule,
    SourcePollsModule,
    WorkoutSeriesModule,
    LinkAttemptsModule,
    OwnerLookupsModule,
    UnmatchedResultsModule,
    UpstreamModule,
  ],
  providers: [DataHandler, EventsService, LabHandler, SourceHandler],
  exports: [EventsService, OwnerLookupsModule],
})
export class EventsModule {}
