import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AlarmsModule } from '../alarms/alarms.module.js';
import { ConnectionsModule } from '../connections/connections.module.js';
import { DayEvidenceModule } from '../day-evidence/day-evidence.module.js';
import { HealthDataModule } from '../health-data/health-data.module.js';
import { InboxModule } from '../inbox/inbox.module.js';
import { ExplainController } from './explain.controller.js';
import { ExplainService } from './explain.service.js';

@Module({
  imports: [AccountsModule, AlarmsModule, ConnectionsModule, HealthDataModule, DayEvidenceModule, InboxModule],
  controllers: [ExplainController],
  providers: [ExplainService],
})
export class ExplainModule {}
