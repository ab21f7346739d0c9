import { Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts/accounts.module.js';
import { ConnectionsModule } from '../../accounts/connections/connections.module.js';
import { HealthDataModule } from '../../health/health-data/health-data.module.js';
import { SourcePrioritiesModule } from '../../health/priorities/source-priorities.module.js';
import { SourcesModule } from '../../ingest/sources/sources.module.js';
import { ChangeLogModule } from '../../storage/change-log/change-log.module.js';
import { DayEvidenceModule } from '../explain/day-evidence.module.js';
import { AccountReadsController } from './account-reads.controller.js';
import { LatestService } from './latest.service.js';
import { MeController } from './me.controller.js';
import { MeService } from './me.service.js';
import { RecordsModule } from './records.module.js';
import { StatisticsService } from './statistics.service.js';
import { TodayService } from './today.service.js';

@Module({
  imports: [
    AccountsModule,
    ConnectionsModule,
    ChangeLogModule,
    DayEvidenceModule,
    HealthDataModule,
    SourcesModule,
    SourcePrioritiesModule,
    RecordsModule,
  ],
  controllers: [MeController, AccountReadsController],
  providers: [MeService, LatestService, StatisticsService, TodayService],
})
export class MeModule {}
