import { Module } from '@nestjs/common';
import { AccountsModule } from './accounts/accounts.module.js';
import { ErasureService } from './erasure/erasure.service.js';
import { ErasureTelemetry } from './erasure/erasure.telemetry.js';
import { ErasureWorker } from './erasure/erasure.worker.js';
import { ErasureCheckWorker } from './erasure/erasure-check.worker.js';
import { ErasureLeases } from './erasure/erasure-leases.service.js';
import { ErasuresController } from './erasure/erasures.controller.js';
import { ErasuresRepository } from './erasure/erasures.repository.js';
import { LocalDeletion } from './erasure/local-deletion.service.js';
import { PersonalRowsRepository } from './erasure/personal-rows.repository.js';
import { UpstreamDeletion } from './erasure/upstream-deletion.service.js';
import { HealthDataModule } from './health-data/health-data.module.js';
import { ExportController } from './personal-data/export.controller.js';
import { ExportReader } from './personal-data/export.reader.js';
import { ExportService } from './personal-data/export.service.js';
import { ExportTelemetry } from './personal-data/export.telemetry.js';
import { PersonalDataMap } from './personal-data/personal-data-map.reader.js';
import { UpstreamModule } from './upstream/upstream.module.js';

/** Erases what is held of a person, and hands it out, both along what the rooms declare of their tables. */
@Module({
  imports: [AccountsModule, HealthDataModule, UpstreamModule],
  controllers: [ErasuresController, ExportController],
  providers: [
    ErasuresRepository,
    PersonalRowsRepository,
    ErasureTelemetry,
    ErasureService,
    ErasureLeases,
    LocalDeletion,
    UpstreamDeletion,
    ErasureWorker,
    ErasureCheckWorker,
    PersonalDataMap,
    ExportReader,
    ExportTelemetry,
    ExportService,
  ],
})
export class PersonalDataModule {}
