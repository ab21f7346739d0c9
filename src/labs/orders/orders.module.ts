import { Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts/accounts.module.js';
import { LabEventsRepository } from './lab-events.repository.js';
import { OrderReadsService } from './order-reads.service.js';
import { OrdersReader } from './orders.reader.js';
import { OrdersRepository } from './orders.repository.js';
import { OrdersService } from './orders.service.js';
import { ParsingJobsRepository } from './parsing-jobs.repository.js';
import { ParsingJobs } from './parsing-jobs.service.js';
import { TellingService } from './telling.service.js';
import { ToldRepository } from './told.repository.js';

/** Orders as upstream reports them: facts, their merge, the redraw chain, and reads. */
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
  ],
  exports: [OrdersService, OrderReadsService, ParsingJobs, TellingService],
})
export class OrdersModule {}
