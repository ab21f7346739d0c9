import { Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts/accounts.module.js';
import { OrderRefreshes, ResultFetches } from './due-reads.repository.js';
import { LabEventsRepository } from './lab-events.repository.js';
import { OrderIntake } from './order-intake.service.js';
import { OrderPlacementsRepository } from './order-placements.repository.js';
import { OrderReadsService } from './order-reads.service.js';
import { OrdersReader } from './orders.reader.js';
import { OrdersRepository } from './orders.repository.js';
import { OrdersService } from './orders.service.js';
import { OrdersTelemetry } from './orders.telemetry.js';
import { ParsingJobsRepository } from './parsing-jobs.repository.js';
import { ParsingJobs } from './parsing-jobs.service.js';
import { PatientNotificationsRepository } from './patient-notifications.repository.js';
import { PatientNotifications } from './patient-notifications.service.js';
import { PlacementKeys } from './placement-keys.service.js';

/** Stored orders: facts, merge, redraw chain, reads, placement keys, and orders and results to read again. */
@Module({
  imports: [AccountsModule],
  providers: [
    OrdersRepository,
    LabEventsRepository,
    OrdersReader,
    OrdersService,
    OrderReadsService,
    ParsingJobsRepository,
    ParsingJobs,
    PatientNotificationsRepository,
    PatientNotifications,
    OrderPlacementsRepository,
    PlacementKeys,
    OrderRefreshes,
    ResultFetches,
    OrdersTelemetry,
    OrderIntake,
  ],
  exports: [
    OrderIntake,
    OrdersService,
    OrdersTelemetry,
    OrderReadsService,
    ParsingJobs,
    PatientNotifications,
    PlacementKeys,
  ],
})
export class OrdersModule {}
