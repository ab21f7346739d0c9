import { Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts/accounts.module.js';
import { ConnectionsModule } from '../../accounts/connections/connections.module.js';
import { OrderIntakeModule } from '../../labs/intake/order-intake.module.js';
import { PullsModule } from '../pulls/pulls.module.js';
import { RecoveriesController } from './recoveries.controller.js';
import { Recoveries } from './recoveries.service.js';
import { RecoveryRepository } from './recovery.repository.js';
import { RecoveryTelemetry } from './recovery.telemetry.js';
import { RecoveryWorker } from './recovery.worker.js';
import { RecoveryPlanner } from './recovery-planner.js';
import { RecoveryValidator } from './recovery-validator.js';

@Module({
  imports: [AccountsModule, ConnectionsModule, PullsModule, OrderIntakeModule],
  controllers: [RecoveriesController],
  providers: [RecoveryRepository, RecoveryTelemetry, RecoveryValidator, Recoveries, RecoveryPlanner, RecoveryWorker],
})
export class RecoveriesModule {}
