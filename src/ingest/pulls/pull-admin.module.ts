import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { CoverageModule } from '../coverage/coverage.module.js';
import { PullsModule } from '../pulls/pulls.module.js';
import { RejectedRecordsModule } from '../rejected-records/rejected-records.module.js';
import { AccountPulls } from './account-pulls.service.js';
import { PullInspection } from './pull-inspection.service.js';
import { SyncController } from './sync.controller.js';

@Module({
  imports: [AccountsModule, CoverageModule, PullsModule, RejectedRecordsModule],
  controllers: [SyncController],
  providers: [PullInspection, AccountPulls],
  exports: [PullInspection],
})
export class PullAdminModule {}
