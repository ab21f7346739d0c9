import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { ConnectionsModule } from '../connections/connections.module.js';
import { CoverageModule } from '../coverage/coverage.module.js';
import { HealthDataModule } from '../health-data/health-data.module.js';
import { LinkAttemptsModule } from '../link-attempts/link-attempts.module.js';
import { OrderIntakeModule } from '../order-intake/order-intake.module.js';
import { OrdersModule } from '../orders/orders.module.js';
import { OwnerLookupsModule } from '../owner-lookups/owner-lookups.module.js';
import { PullsModule } from '../pulls/pulls.module.js';
import { RejectedRecordsModule } from '../rejected-records/rejected-records.module.js';
import { SourcePollsModule } from '../source-polls/source-polls.module.js';
import { WorkoutSeriesModule } from '../workout-series/workout-series.module.js';
import { DataHandler } from './data.handler.js';
import { EventsService } from './events.service.js';
import { LabHandler } from './lab.handler.js';
import { SourceHandler } from './source.handler.js';

/** What events mean and what is to be done about them. */
@Module({
  imports: [
    AccountsModule,
    ConnectionsModule,
    HealthDataModule,
    OrderIntakeModule,
    OrdersModule,
    CoverageModule,
    PullsModule,
    SourcePollsModule,
    WorkoutSeriesModule,
    LinkAttemptsModule,
    OwnerLookupsModule,
    RejectedRecordsModule,
  ],
  providers: [DataHandler, EventsService, LabHandler, SourceHandler],
  exports: [EventsService, OwnerLookupsModule],
})
export class EventsModule {}
