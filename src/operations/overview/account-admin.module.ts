import { Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts/accounts.module.js';
import { ConnectionsModule } from '../../accounts/connections/connections.module.js';
import { HealthDataModule } from '../../health/health-data/health-data.module.js';
import { AccountAdminService } from './account-admin.service.js';
import { AccountsController } from './accounts.controller.js';

@Module({
  imports: [AccountsModule, ConnectionsModule, HealthDataModule],
  controllers: [AccountsController],
  providers: [AccountAdminService],
})
export class AccountAdminModule {}
