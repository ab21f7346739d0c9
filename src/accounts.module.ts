import { Module } from '@nestjs/common';
import { AccountBlocksController } from './accounts/account-blocks.controller.js';
import { AccountBlocksRepository } from './accounts/account-blocks.repository.js';
import { AccountBlocks } from './accounts/account-blocks.service.js';
import { AccountsController } from './accounts/accounts.controller.js';
import { AccountsRepository } from './accounts/accounts.repository.js';
import { AccountsService } from './accounts/accounts.service.js';
import { AccountEvents } from './accounts/accounts.telemetry.js';
import { AccountImportWorker } from './accounts/import/account-import.worker.js';
import { AccountImports } from './accounts/import/account-imports.service.js';
import { AccountImportsController } from './accounts/import/http/account-imports.controller.js';
import { ImportEvents } from './accounts/import/import.events.js';
import { ImportTuning } from './accounts/import/import-tuning.js';
import { ImportsRepository } from './accounts/import/imports.repository.js';
import { BatchAdoption } from './accounts/import/walk/batch-adoption.js';
import { ImportPeopleRepository } from './accounts/import/walk/import-people.repository.js';
import { ImportSteps } from './accounts/import/walk/import-steps.js';
import { MissingAccounts } from './accounts/import/walk/missing-accounts.js';
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
