import { Module } from '@nestjs/common';
import { UpstreamModule } from '../upstream/upstream.module.js';
import { AccountBatchesRepository } from './accounts/account-batches.repository.js';
import { AccountMapping } from './accounts/account-mapping.js';
import { AccountsRepository } from './accounts/accounts.repository.js';
import { AccountsService } from './accounts/accounts.service.js';
import { AccountsTelemetry } from './accounts/accounts.telemetry.js';
import { ListedAccounts } from './accounts/listed-accounts.repository.js';
import { PendingAccountsWorker } from './accounts/pending-accounts.worker.js';
import { Pseudonyms } from './accounts/pseudonyms.js';
import { PseudonymsWorker } from './accounts/pseudonyms.worker.js';
import { Relinking } from './accounts/relinking.service.js';
import { SourcePolls } from './accounts/source-polls.repository.js';
import { UpstreamUsers } from './accounts/upstream-users.js';
import { ConnectionsRepository } from './connections/connections.repository.js';
import { ConnectionsService } from './connections/connections.service.js';
import { DevicesService } from './connections/devices.service.js';
import { LinkAttemptsController, MeLinkOutcomesController } from './connections/link-attempts.controller.js';
import { LinkAttemptsRepository } from './connections/link-attempts.repository.js';
import { LinkAttempts } from './connections/link-attempts.service.js';
import { LinkAttemptsTelemetry } from './connections/link-attempts.telemetry.js';
import { ErasureFencesRepository } from './erasure-guard/erasure-fences.repository.js';
import { ErasureFences } from './erasure-guard/erasure-fences.service.js';
import { ErasureFencesWorker } from './erasure-guard/erasure-fences.worker.js';
import { ErasureGuardRepository } from './erasure-guard/erasure-guard.repository.js';
import { ErasureGuard } from './erasure-guard/erasure-guard.service.js';
import { ErasureGuardTelemetry } from './erasure-guard/erasure-guard.telemetry.js';
import { LateScrubWorker } from './erasure-guard/late-scrub.worker.js';
import { AccountImportTelemetry } from './import/account-import.telemetry.js';
import { AccountImportWorker } from './import/account-import.worker.js';
import { AccountImportsController } from './import/account-imports.controller.js';
import { AccountImportsRepository } from './import/account-imports.repository.js';
import { AccountImports } from './import/account-imports.service.js';
import { BatchAdoption } from './import/batch-adoption.js';
import { ImportTuning } from './import/import-scan.js';
import { ImportSteps } from './import/import-steps.js';
import { MissingAccounts } from './import/missing-accounts.js';
import { FrequentSignInsController } from './tokens/frequent-sign-ins.controller.js';
import { TokenIssuanceController } from './tokens/token-issuance.controller.js';
import { TokenIssuance } from './tokens/token-issuance.service.js';
import { AccountTokensController, MeTokensController } from './tokens/tokens.controller.js';
import { TokensRepository } from './tokens/tokens.repository.js';
import { TokensService } from './tokens/tokens.service.js';
import { TokensTelemetry } from './tokens/tokens.telemetry.js';

/**
 * Accounts and their upstream users, connections, tokens and link attempts, and the guard against writes about erased
 * people.
 */
@Module({
  imports: [UpstreamModule],
  controllers: [
    MeLinkOutcomesController,
    LinkAttemptsController,
    AccountImportsController,
    MeTokensController,
    AccountTokensController,
    FrequentSignInsController,
    TokenIssuanceController,
  ],
  providers: [
    LinkAttemptsTelemetry,
    LinkAttemptsRepository,
    LinkAttempts,
    ConnectionsRepository,
    ConnectionsService,
    DevicesService,
    ErasureGuardRepository,
    ErasureFencesRepository,
    ErasureGuardTelemetry,
    ErasureGuard,
    ErasureFences,
    ErasureFencesWorker,
    LateScrubWorker,
    AccountImportsRepository,
    ImportTuning,
    AccountImportTelemetry,
    BatchAdoption,
    MissingAccounts,
    ImportSteps,
    AccountImports,
    AccountImportWorker,
    TokensRepository,
    TokensTelemetry,
    TokenIssuance,
    TokensService,
    AccountsTelemetry,
    AccountsRepository,
    ListedAccounts,
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
  exports: [LinkAttempts, ConnectionsService, DevicesService, ErasureGuard, ErasureFences, AccountsService],
})
export class AccountsModule {}
