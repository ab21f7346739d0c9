import { Module } from '@nestjs/common';
import { AccountsModule } from './accounts.module.js';
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
import { ExportSections } from './personal-data/export-sections.js';
import { UpstreamModule } from './upstream/upstream.module.js';

/** Erases what is held of a person, and hands it out, both along the registry of tables (registry.ts). */
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
    ExportReader,
    ExportSections,
    ExportTelemetry,
    ExportService,
  ],
})
export class PersonalDataModule {}
