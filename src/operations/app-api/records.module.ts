import { Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts/accounts.module.js';
import { HealthDataModule } from '../../health/health-data/health-data.module.js';
import { InboxModule } from '../../ingest/inbox/inbox.module.js';
import { ChangeLogModule } from '../../storage/change-log/change-log.module.js';
import { RecordsController } from './records.controller.js';
import { RecordsService } from './records.service.js';

@Module({
  imports: [AccountsModule, ChangeLogModule, HealthDataModule, InboxModule],
  controllers: [RecordsController],
  providers: [RecordsService],
  exports: [RecordsService],
})
export class RecordsModule {}
