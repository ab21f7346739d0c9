import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { ConnectionsModule } from '../connections/connections.module.js';
import { HealthDataModule } from '../health-data/health-data.module.js';
import { RecordsModule } from '../records/records.module.js';
import { SourcePollsModule } from '../source-polls/source-polls.module.js';
import { MeController } from './me.controller.js';
import { MeService } from './me.service.js';

@Module({
  imports: [AccountsModule, ConnectionsModule, HealthDataModule, SourcePollsModule, RecordsModule],
  controllers: [MeController],
  providers: [MeService],
})
export class MeModule {}
