import { Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts/accounts.module.js';
import { UpstreamModule } from '../../upstream/client/upstream.module.js';
import { OrdersModule } from '../orders/orders.module.js';
import { OrderListSync } from './order-list-sync.js';
import { OrderRefreshWorker } from './order-refresh.worker.js';
import { OrderSyncRepository } from './order-sync.repository.js';
import { OrderSyncWorker } from './order-sync.worker.js';
import { UpstreamOrders } from './upstream-orders.js';

/** Reads orders from upstream, by list or by id. */
@Module({
  imports: [AccountsModule, UpstreamModule, OrdersModule],
  providers: [OrderSyncRepository, UpstreamOrders, OrderListSync, OrderRefreshWorker, OrderSyncWorker],
  exports: [OrdersModule, OrderListSync, UpstreamOrders],
})
export class OrderIntakeModule {}
