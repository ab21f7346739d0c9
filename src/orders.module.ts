import { Module } from '@nestjs/common';
import { AccountsModule } from './accounts.module.js';
import { ResultFetchRepository } from './lab-results/result-fetch.repository.js';
import { ResultFetchWorker } from './lab-results/result-fetch.worker.js';
import { ResultPdfs } from './lab-results/result-pdfs.service.js';
import { ResultSubjects } from './lab-results/result-subjects.js';
import { ResultsController } from './lab-results/results.controller.js';
import { ResultsRepository } from './lab-results/results.repository.js';
import { ResultsService } from './lab-results/results.service.js';
import { ResultsTelemetry } from './lab-results/results.telemetry.js';
import { StoreResult } from './lab-results/store-result.js';
import { UpstreamResults } from './lab-results/upstream-results.js';
import { CancellingService } from './order-placement/cancelling.service.js';
import { OrderPlacementsRepository } from './order-placement/order-placements.repository.js';
import { PlacingController } from './order-placement/placing.controller.js';
import { PlacingService } from './order-placement/placing.service.js';
import { PlacingTelemetry } from './order-placement/placing.telemetry.js';
import { PlacementSettlement } from './order-placement/settle-placement.js';
import { OrderTransactionsController } from './order-reads/order-transactions.controller.js';
import { OrdersController } from './order-reads/orders.controller.js';
import { OwnOrdersController } from './order-reads/own-orders.controller.js';
import { OrderListSync } from './order-reconciliation/order-list-sync.js';
import { OrderPairsService } from './order-reconciliation/order-pairs.service.js';
import { OrderRefreshRepository } from './order-reconciliation/order-refresh.repository.js';
import { OrderRefreshWorker } from './order-reconciliation/order-refresh.worker.js';
import { OrderSyncRepository } from './order-reconciliation/order-sync.repository.js';
import { OrderSyncWorker } from './order-reconciliation/order-sync.worker.js';
import { TransactionRefresh } from './order-reconciliation/transaction-refresh.js';
import { LabEventsRepository } from './orders/lab-events.repository.js';
import { OrderReadsService } from './orders/order-reads.service.js';
import { OrdersReader } from './orders/orders.reader.js';
import { OrdersRepository } from './orders/orders.repository.js';
import { OrdersService } from './orders/orders.service.js';
import { OrdersTelemetry } from './orders/orders.telemetry.js';
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
    OrdersReader,
    OrdersService,
    OrderReadsService,
    OrderPairsService,
    UpstreamOrders,
    TransactionRefresh,
    OrderListSync,
    OrdersTelemetry,
    OrderSyncWorker,
    OrderRefreshWorker,
    OrderPlacementsRepository,
    PlacementSettlement,
    PlacingService,
    CancellingService,
    PlacingTelemetry,
    ResultsRepository,
    ResultFetchRepository,
    StoreResult,
    ResultSubjects,
    ResultsTelemetry,
    UpstreamResults,
    ResultsService,
    ResultPdfs,
    ResultFetchWorker,
  ],
  exports: [OrdersTelemetry, OrderListSync, OrdersService, OrderReadsService, OrderSyncWorker, OrderRefreshWorker],
})
export class OrdersModule {}
