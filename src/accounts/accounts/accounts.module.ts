import { Module } from '@nestjs/common';
import { UpstreamModule } from '../../upstream/client/upstream.module.js';
import { ErasureGuardModule } from '../erasure-guard/erasure-guard.module.js';
import { AccountBatchesRepository } from './account-batches.repository.js';
import { AccountMapping } from './account-mapping.js';
import { AccountsRepository } from './accounts.repository.js';
import { AccountsService } from './accounts.service.js';
import { AccountsTelemetry } from './accounts.telemetry.js';
import { PendingAccountsWorker } from './pending-accounts.worker.js';
import { Pseudonyms } from './pseudonyms.js';
import { PseudonymsWorker } from './pseudonyms.worker.js';
import { Relinking } from './relinking.service.js';
import { SourcePolls } from './source-polls.repository.js';
import { UpstreamUsers } from './upstream-users.js';

@Module({
  imports: [ErasureGuardModule, UpstreamModule],
  providers: [
    AccountsTelemetry,
    AccountsRepository,
    AccountBatchesRepository,
    UpstreamUsers,
    SourcePolls,
    Pseudonyms,
    AccountMapping,
    Relinking,
    AccountsService,
    PendingAccountsWorker,
    PseudonymsWorker,
  ],
  exports: [ErasureGuardModule, AccountsService],
})
export class AccountsModule {}
