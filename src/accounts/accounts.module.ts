import { Module } from '@nestjs/common';
import { UpstreamModule } from '../upstream/upstream.module.js';
import { AccountsController } from './accounts.controller.js';
import { AccountEvents } from './accounts.events.js';
import { AccountsRepository } from './accounts.repository.js';
import { AccountsService } from './accounts.service.js';
import { AccountsWorker } from './accounts.worker.js';
import { AccountBlocksController } from './blocking/account-blocks.controller.js';
import { AccountBlocksRepository } from './blocking/account-blocks.repository.js';
import { AccountBlocks } from './blocking/account-blocks.service.js';
import { AccountFence } from './fence/account-fence.service.js';
import { FenceRepository } from './fence/fence.repository.js';
import { AccountImportWorker } from './import/account-import.worker.js';
import { AccountImports } from './import/account-imports.service.js';
import { AccountImportsController } from './import/http/account-imports.controller.js';
import { ImportEvents } from './import/import.events.js';
import { ImportTuning } from './import/import-tuning.js';
import { ImportsRepository } from './import/imports.repository.js';
import { BatchAdoption } from './import/walk/batch-adoption.js';
import { ImportPeopleRepository } from './import/walk/import-people.repository.js';
import { ImportSteps } from './import/walk/import-steps.js';
import { MissingAccounts } from './import/walk/missing-accounts.js';
import { ConnectionsRepository } from './sources/connections.repository.js';
import { ConnectionsService } from './sources/connections.service.js';
import { SourceChecksRepository } from './sources/source-checks.repository.js';
import { SourceChecks } from './sources/source-checks.service.js';
import { UpstreamUsers } from './upstream-users.js';

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
