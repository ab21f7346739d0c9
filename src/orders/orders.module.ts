import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { UpstreamModule } from '../upstream/upstream.module.js';
import { OrderTransactionsController } from './http/order-transactions.controller.js';
import { OrdersController } from './http/orders.controller.js';
import { OwnOrdersController } from './http/own-orders.controller.js';
import { LabEventsRepository } from './lab-events.repository.js';
import { OrderEvents } from './order-events.js';
import { OrderPairsService } from './order-pairs.service.js';
import { OrderReadsRepository } from './order-reads.repository.js';
import { OrderReadsService } from './order-reads.service.js';
import { OrdersRepository } from './orders.repository.js';
import { OrdersService } from './orders.service.js';
import { CancellingService } from './placing/cancelling.service.js';
import { PlacingController } from './placing/http/placing.controller.js';
import { OrderPlacementsRepository } from './placing/order-placements.repository.js';
import { PlacementStore } from './placing/placement-store.js';
import { PlacingEvents } from './placing/placing.events.js';
import { PlacingService } from './placing/placing.service.js';
import { ResultFetchRepository } from './results/fetching/result-fetch.repository.js';
import { ResultFetchWorker } from './results/fetching/result-fetch.worker.js';
import { ResultsController } from './results/http/results.controller.js';
import { ResultPdfs } from './results/pdf/result-pdfs.service.js';
import { ResultStore } from './results/result.store.js';
import { ResultSubjects } from './results/result-subjects.js';
import { ResultEvents } from './results/results.events.js';
import { ResultsRepository } from './results/results.repository.js';
import { ResultsService } from './results/results.service.js';
import { UpstreamResults } from './results/upstream-results.js';
import { OrderList } from './upkeep/order-list.js';
import { OrderRefreshRepository } from './upkeep/order-refresh.repository.js';
import { OrderRefreshWorker } from './upkeep/order-refresh.worker.js';
import { OrderSyncRepository } from './upkeep/order-sync.repository.js';
import { OrderSyncWorker } from './upkeep/order-sync.worker.js';
import { TransactionRefresh } from './upkeep/transaction-refresh.js';
import { UpstreamOrders } from './upkeep/upstream-orders.js';

@Module({
  imports: [AccountsModule, UpstreamModule],
  controllers: [
    OrdersController,
    PlacingController,
    OrderTransactionsController,
    OwnOrdersController,
    ResultsController,
  ],
  providers: [
    OrdersRepository,
    LabEventsRepository,
    OrderRefreshRepository,
    OrderSyncRepository,
    OrderReadsRepository,
    OrdersService,
    OrderReadsService,
    OrderPairsService,
    UpstreamOrders,
    TransactionRefresh,
    OrderList,
    OrderEvents,
    OrderSyncWorker,
    OrderRefreshWorker,
    OrderPlacementsRepository,
    PlacementStore,
    PlacingService,
    CancellingService,
    PlacingEvents,
    ResultsRepository,
    ResultFetchRepository,
    ResultStore,
    ResultSubjects,
    ResultEvents,
    UpstreamResults,
    ResultsService,
    ResultPdfs,
    ResultFetchWorker,
  ],
  exports: [OrderEvents, OrderList, OrdersService, OrderReadsService, OrderSyncWorker, OrderRefreshWorker],
})
export class OrdersModule {}
