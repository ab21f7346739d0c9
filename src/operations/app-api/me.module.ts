import { Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts/accounts.module.js';
import { ConnectionsModule } from '../../accounts/connections/connections.module.js';
import { HealthDataModule } from '../../health/health-data/health-data.module.js';
import { SourcePollsModule } from '../../ingest/sources/source-polls.module.js';
import { MeController } from './me.controller.js';
import { MeService } from './me.service.js';
import { RecordsModule } from './records.module.js';

@Module({
  imports: [AccountsModule, ConnectionsModule, HealthDataModule, SourcePollsModule, RecordsModule],
  controllers: [MeController],
  providers: [MeService],
})
export class MeModule {}
