import { Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts/accounts.module.js';
import { OrderIntakeModule } from '../intake/order-intake.module.js';
import { OrdersModule } from '../orders/orders.module.js';
import { OrderPairsService } from './order-pairs.service.js';
import { OrderTransactionsController } from './order-transactions.controller.js';
import { OrdersController } from './orders.controller.js';
import { OwnOrdersController } from './own-orders.controller.js';
import { ParsingJobsController } from './parsing-jobs.controller.js';

/** Routes that return orders, store pairs of ids, and refresh a transaction. */
@Module({
  imports: [AccountsModule, OrdersModule, OrderIntakeModule],
  controllers: [OrdersController, OrderTransactionsController, OwnOrdersController, ParsingJobsController],
  providers: [OrderPairsService],
})
export class OrderApiModule {}
