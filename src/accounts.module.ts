import { Module } from '@nestjs/common';
import { ImportEvents } from './account-import/account-import.telemetry.js';
import { AccountImportWorker } from './account-import/account-import.worker.js';
import { AccountImportsController } from './account-import/account-imports.controller.js';
import { ImportsRepository } from './account-import/account-imports.repository.js';
import { AccountImports } from './account-import/account-imports.service.js';
import { BatchAdoption } from './account-import/batch-adoption.js';
import { ImportSteps } from './account-import/import-steps.js';
import { ImportTuning } from './account-import/import-tuning.js';
import { MissingAccounts } from './account-import/missing-accounts.js';
import { ImportPeopleRepository } from './account-import/seen-users.repository.js';
import { AccountBlocksController } from './accounts/account-blocks.controller.js';
import { AccountBlocksRepository } from './accounts/account-blocks.repository.js';
import { AccountBlocks } from './accounts/account-blocks.service.js';
import { AccountsController } from './accounts/accounts.controller.js';
import { AccountsRepository } from './accounts/accounts.repository.js';
import { AccountsService } from './accounts/accounts.service.js';
import { AccountEvents } from './accounts/accounts.telemetry.js';
import { AccountsWorker } from './accounts/pending-accounts.worker.js';
import { SourceChecksRepository } from './accounts/source-polls.repository.js';
import { SourceChecks } from './accounts/source-polls.service.js';
import { UpstreamUsers } from './accounts/upstream-users.js';
import { ConnectionsRepository } from './connections/connections.repository.js';
import { ConnectionsService } from './connections/connections.service.js';
import { FenceRepository } from './erasure-guard/erasure-guard.repository.js';
import { AccountFence } from './erasure-guard/erasure-guard.service.js';
import { UpstreamModule } from './upstream/upstream.module.js';

@Module({
  imports: [UpstreamModule],
  controllers: [AccountImportsController, AccountsController, AccountBlocksController],
  providers: [
    AccountEvents,
    AccountsRepository,
    UpstreamUsers,
    FenceRepository,
    AccountFence,
    AccountsService,
    AccountsWorker,
    AccountBlocksRepository,
    AccountBlocks,
    ConnectionsRepository,
    ConnectionsService,
    SourceChecksRepository,
    SourceChecks,
    ImportsRepository,
    ImportPeopleRepository,
    ImportTuning,
    ImportEvents,
    BatchAdoption,
    MissingAccounts,
    ImportSteps,
    AccountImports,
    AccountImportWorker,
  ],
  exports: [AccountFence, AccountsService, AccountsWorker, ConnectionsService, SourceChecks],
})
export class AccountsModule {}
