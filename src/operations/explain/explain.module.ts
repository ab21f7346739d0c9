import { Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts/accounts.module.js';
import { ConnectionsModule } from '../../accounts/connections/connections.module.js';
import { HealthDataModule } from '../../health/health-data/health-data.module.js';
import { InboxModule } from '../../ingest/inbox/inbox.module.js';
import { AlarmsModule } from '../alarms/alarms.module.js';
import { DayEvidenceModule } from './day-evidence.module.js';
import { ExplainController } from './explain.controller.js';
import { ExplainService } from './explain.service.js';

@Module({
  imports: [AccountsModule, AlarmsModule, ConnectionsModule, HealthDataModule, DayEvidenceModule, InboxModule],
  controllers: [ExplainController],
  providers: [ExplainService],
})
export class ExplainModule {}
