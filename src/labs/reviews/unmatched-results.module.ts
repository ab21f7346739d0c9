import { Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts/accounts.module.js';
import { UpstreamModule } from '../../upstream/client/upstream.module.js';
import { OrderIntakeModule } from '../intake/order-intake.module.js';
import { DecidingService } from './deciding.service.js';
import { DecisionKeys } from './decision-keys.js';
import { UnmatchedResultReadWorker } from './unmatched-result-read.worker.js';
import { UnmatchedResultWalkWorker } from './unmatched-result-walk.worker.js';
import { UnmatchedResultsController } from './unmatched-results.controller.js';
import { UnmatchedResultsRepository } from './unmatched-results.repository.js';
import { UnmatchedResults } from './unmatched-results.service.js';
import { UnmatchedResultsTelemetry } from './unmatched-results.telemetry.js';

/** Stores, lists and decides results that upstream could not attach to an order. */
@Module({
  imports: [AccountsModule, UpstreamModule, OrderIntakeModule],
  controllers: [UnmatchedResultsController],
  providers: [
    UnmatchedResultsTelemetry,
    UnmatchedResultsRepository,
    UnmatchedResults,
    DecisionKeys,
    DecidingService,
    UnmatchedResultReadWorker,
    UnmatchedResultWalkWorker,
  ],
  exports: [UnmatchedResults],
})
export class UnmatchedResultsModule {}
