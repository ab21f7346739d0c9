import { Module } from '@nestjs/common';
import { AccountsModule } from './accounts.module.js';
import { LabEventsRepository } from './lab-events/lab-events.repository.js';
import { CancellingService } from './order-placement/cancelling.service.js';
import { OrderPlacementsRepository } from './order-placement/order-placements.repository.js';
import { PlacingController } from './order-placement/placing.controller.js';
import { PlacingService } from './order-placement/placing.service.js';
import { PlacingEvents } from './order-placement/placing.telemetry.js';
import { PlacementStore } from './order-placement/settle-placement.js';
import { OrderReadsRepository } from './order-reads/order-reads.repository.js';
import { OrderReadsService } from './order-reads/order-reads.service.js';
import { OrderTransactionsController } from './order-reads/order-transactions.controller.js';
import { OrdersController } from './order-reads/orders.controller.js';
import { OwnOrdersController } from './order-reads/own-orders.controller.js';
import { OrderPairsService } from './orders/order-pairs.service.js';
import { OrdersRepository } from './orders/orders.repository.js';
import { OrdersService } from './orders/orders.service.js';
import { OrderEvents } from './orders/orders.telemetry.js';
import { ResultFetchRepository } from './orders/results/fetching/result-fetch.repository.js';
import { ResultFetchWorker } from './orders/results/fetching/result-fetch.worker.js';
import { ResultsController } from './orders/results/http/results.controller.js';
import { ResultPdfs } from './orders/results/pdf/result-pdfs.service.js';
import { ResultStore } from './orders/results/result.store.js';
import { ResultSubjects } from './orders/results/result-subjects.js';
import { ResultEvents } from './orders/results/results.events.js';
import { ResultsRepository } from './orders/results/results.repository.js';
import { ResultsService } from './orders/results/results.service.js';
import { UpstreamResults } from './orders/results/upstream-results.js';
import { OrderList } from './orders/upkeep/order-list.js';
import { OrderRefreshRepository } from './orders/upkeep/order-refresh.repository.js';
import { OrderRefreshWorker } from './orders/upkeep/order-refresh.worker.js';
import { OrderSyncRepository } from './orders/upkeep/order-sync.repository.js';
import { OrderSyncWorker } from './orders/upkeep/order-sync.worker.js';
import { TransactionRefresh } from './orders/upkeep/transaction-refresh.js';
import { UpstreamOrders } from './orders/upstream-orders.js';
import { UpstreamModule } from './upstream/upstream.module.js';

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
