import { Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts/accounts.module.js';
import { UpstreamModule } from '../../upstream/client/upstream.module.js';
import { OrdersModule } from '../orders/orders.module.js';
import { OrderIntake } from './order-intake.service.js';
import { OrderIntakeTelemetry } from './order-intake.telemetry.js';
import { OrderListSync } from './order-list-sync.js';
import { OrderRefreshRepository } from './order-refresh.repository.js';
import { OrderRefreshWorker } from './order-refresh.worker.js';
import { OrderSyncRepository } from './order-sync.repository.js';
import { OrderSyncWorker } from './order-sync.worker.js';
import { UpstreamOrders } from './upstream-orders.js';

/** How orders arrive: by webhook, list or single read; and what follows from each. */
@Module({
  imports: [AccountsModule, UpstreamModule, OrdersModule],
  providers: [
    OrderIntakeTelemetry,
    OrderRefreshRepository,
    OrderSyncRepository,
    OrderIntake,
    UpstreamOrders,
    OrderListSync,
    OrderRefreshWorker,
    OrderSyncWorker,
  ],
  exports: [OrderIntake, UpstreamOrders],
})
export class OrderIntakeModule {}
