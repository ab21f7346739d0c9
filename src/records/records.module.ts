import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts.module.js';
import { HealthDataModule } from '../health-data/health-data.module.js';
import { WebhooksModule } from '../webhooks.module.js';
import { RecordsController } from './records.controller.js';
import { RecordsService } from './records.service.js';

@Module({
  imports: [AccountsModule, HealthDataModule, WebhooksModule],
  controllers: [RecordsController],
  providers: [RecordsService],
  exports: [RecordsService],
})
export class RecordsModule {}
