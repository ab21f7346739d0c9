import { Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts/accounts.module.js';
import { RejectedRecordsModule } from '../../health/health-data/rejected-records.module.js';
import { AccountPulls } from './account-pulls.service.js';
import { CoverageModule } from './coverage.module.js';
import { PullInspection } from './pull-inspection.service.js';
import { PullsModule } from './pulls.module.js';
import { SyncController } from './sync.controller.js';

@Module({
  imports: [AccountsModule, CoverageModule, PullsModule, RejectedRecordsModule],
  controllers: [SyncController],
  providers: [PullInspection, AccountPulls],
  exports: [PullInspection],
})
export class PullAdminModule {}
