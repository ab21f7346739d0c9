import { Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts/accounts.module.js';
import { UpstreamModule } from '../../upstream/client/upstream.module.js';
import { OrderIntakeModule } from '../intake/order-intake.module.js';
import { OrdersModule } from '../orders/orders.module.js';
import { CancellingService } from './cancelling.service.js';
import { OrderCalls } from './order-calls.js';
import { PlacingController } from './placing.controller.js';
import { PlacingService } from './placing.service.js';
import { PlacingTelemetry } from './placing.telemetry.js';

/** Places and cancels orders upstream. */
@Module({
  imports: [AccountsModule, UpstreamModule, OrdersModule, OrderIntakeModule],
  controllers: [PlacingController],
  providers: [PlacingTelemetry, OrderCalls, PlacingService, CancellingService],
})
export class OrderPlacementModule {}
