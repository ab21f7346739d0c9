import { Module } from '@nestjs/common';
import { OrdersModule } from '../orders/orders.module.js';
import { LabResultsModule } from './lab-results.module.js';
import { OwnResultsController } from './own-results.controller.js';
import { OwnResultsService } from './own-results.service.js';

/** Results for the person they are about. */
@Module({
  imports: [OrdersModule, LabResultsModule],
  controllers: [OwnResultsController],
  providers: [OwnResultsService],
})
export class OwnResultsModule {}
