import { Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts/accounts.module.js';
import { ConnectionsModule } from '../../accounts/connections/connections.module.js';
import { LinkAttemptsModule } from '../../accounts/link-attempts/link-attempts.module.js';
import { OrderIntakeModule } from '../../labs/intake/order-intake.module.js';
import { OrdersModule } from '../../labs/orders/orders.module.js';
import { UnmatchedResultsModule } from '../../labs/reviews/unmatched-results.module.js';
import { UpstreamModule } from '../../upstream/client/upstream.module.js';
import { PullsModule } from '../pulls/pulls.module.js';
import { SourcesModule } from '../sources/sources.module.js';
import { WorkoutSeriesModule } from '../workout-series/workout-series.module.js';
import { DataHandler } from './data.handler.js';
import { EventsService } from './events.service.js';
import { LabHandler } from './lab.handler.js';
import { OwnerLookupsRepository } from './owner-lookups.repository.js';
import { OwnerLookups } from './owner-lookups.service.js';
import { OwnerLookupsWorker } from './owner-lookups.worker.js';
import { SourceHandler } from './source.handler.js';
import { UpstreamUserSearch } from './upstream-user-search.js';

/** Applies events, and asks upstream for the owner of an event if necessary. */
@Module({
  imports: [
    AccountsModule,
    ConnectionsModule,
    OrderIntakeModule,
    OrdersModule,
    PullsModule,
    SourcesModule,
    WorkoutSeriesModule,
    LinkAttemptsModule,
    UnmatchedResultsModule,
    UpstreamModule,
  ],
  providers: [
    DataHandler,
    EventsService,
    LabHandler,
    OwnerLookups,
    OwnerLookupsRepository,
    OwnerLookupsWorker,
    SourceHandler,
    UpstreamUserSearch,
  ],
  exports: [EventsService, OwnerLookups],
})
export class EventsModule {}
