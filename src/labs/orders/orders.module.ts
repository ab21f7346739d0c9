import { Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts/accounts.module.js';
import { LabEventsRepository } from './lab-events.repository.js';
import { OrderPlacementsRepository } from './order-placements.repository.js';
import { OrderReadsService } from './order-reads.service.js';
import { OrdersReader } from './orders.reader.js';
import { OrdersRepository } from './orders.repository.js';
import { OrdersService } from './orders.service.js';
import { ParsingJobsRepository } from './parsing-jobs.repository.js';
import { ParsingJobs } from './parsing-jobs.service.js';
import { PlacementKeys } from './placement-keys.service.js';
import { ResultFetchRepository } from './result-fetch.repository.js';
import { ResultFetches } from './result-fetches.service.js';
import { TellingService } from './telling.service.js';
import { ToldRepository } from './told.repository.js';

/** Orders as upstream reports them: facts, merge, redraw chain, reads, keys of placed orders, results to read. */
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
    ToldRepository,
    TellingService,
    OrderPlacementsRepository,
    PlacementKeys,
    ResultFetchRepository,
    ResultFetches,
  ],
  exports: [OrdersService, OrderReadsService, ParsingJobs, TellingService, PlacementKeys, ResultFetches],
})
export class OrdersModule {}
