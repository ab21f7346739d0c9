import { Module } from '@nestjs/common';
import { UpstreamModule } from '../../upstream/client/upstream.module.js';
import { AccountsModule } from '../accounts/accounts.module.js';
import { ErasureGuardModule } from '../erasure-guard/erasure-guard.module.js';
import { AccountImportTelemetry } from './account-import.telemetry.js';
import { AccountImportWorker } from './account-import.worker.js';
import { AccountImportsController } from './account-imports.controller.js';
import { AccountImportsRepository } from './account-imports.repository.js';
import { AccountImports } from './account-imports.service.js';
import { BatchAdoption } from './batch-adoption.js';
import { ImportTuning } from './import-scan.js';
import { ImportSteps } from './import-steps.js';
import { MissingAccounts } from './missing-accounts.js';

@Module({
  imports: [AccountsModule, ErasureGuardModule, UpstreamModule],
  controllers: [AccountImportsController],
  providers: [
    AccountImportsRepository,
    ImportTuning,
    AccountImportTelemetry,
    BatchAdoption,
    MissingAccounts,
    ImportSteps,
    AccountImports,
    AccountImportWorker,
  ],
})
export class AccountImportModule {}
