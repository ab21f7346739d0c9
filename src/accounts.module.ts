import { Module } from '@nestjs/common';
import { AccountImportTelemetry } from './account-import/account-import.telemetry.js';
import { AccountImportWorker } from './account-import/account-import.worker.js';
import { AccountImportsController } from './account-import/account-imports.controller.js';
import { AccountImportsRepository } from './account-import/account-imports.repository.js';
import { AccountImports } from './account-import/account-imports.service.js';
import { BatchAdoption } from './account-import/batch-adoption.js';
import { ImportSteps } from './account-import/import-steps.js';
import { ImportTuning } from './account-import/import-tuning.js';
import { MissingAccounts } from './account-import/missing-accounts.js';
import { SeenUsersRepository } from './account-import/seen-users.repository.js';
import { AccountBlocksController } from './accounts/account-blocks.controller.js';
import { AccountBlocksRepository } from './accounts/account-blocks.repository.js';
import { AccountBlocks } from './accounts/account-blocks.service.js';
import { AccountsController } from './accounts/accounts.controller.js';
import { AccountsRepository } from './accounts/accounts.repository.js';
import { AccountsService } from './accounts/accounts.service.js';
import { AccountsTelemetry } from './accounts/accounts.telemetry.js';
import { PendingAccountsWorker } from './accounts/pending-accounts.worker.js';
import { SourcePollsRepository } from './accounts/source-polls.repository.js';
import { SourcePolls } from './accounts/source-polls.service.js';
import { UpstreamUsers } from './accounts/upstream-users.js';
import { ConnectionsRepository } from './connections/connections.repository.js';
import { ConnectionsService } from './connections/connections.service.js';
import { ErasureGuardRepository } from './erasure-guard/erasure-guard.repository.js';
import { ErasureGuard } from './erasure-guard/erasure-guard.service.js';
import { UpstreamModule } from './upstream/upstream.module.js';

@Module({
  imports: [UpstreamModule],
  controllers: [AccountImportsController, AccountsController, AccountBlocksController],
  providers: [
    AccountsTelemetry,
    AccountsRepository,
    UpstreamUsers,
    ErasureGuardRepository,
    ErasureGuard,
    AccountsService,
    PendingAccountsWorker,
    AccountBlocksRepository,
    AccountBlocks,
    ConnectionsRepository,
    ConnectionsService,
    SourcePollsRepository,
    SourcePolls,
    AccountImportsRepository,
    SeenUsersRepository,
    ImportTuning,
    AccountImportTelemetry,
    BatchAdoption,
    MissingAccounts,
    ImportSteps,
    AccountImports,
    AccountImportWorker,
  ],
  exports: [ErasureGuard, AccountsService, PendingAccountsWorker, ConnectionsService, SourcePolls],
})
export class AccountsModule {}
