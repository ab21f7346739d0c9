import { Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts/accounts.module.js';
import { ErasureGuardModule } from '../../accounts/erasure-guard/erasure-guard.module.js';
import { InboxModule } from '../../ingest/inbox/inbox.module.js';
import { OrdersModule } from '../../labs/orders/orders.module.js';
import { UpstreamModule } from '../../upstream/client/upstream.module.js';
import { ErasureService } from './erasure.service.js';
import { ErasureTelemetry } from './erasure.telemetry.js';
import { ErasureWorker } from './erasure.worker.js';
import { ErasureCheckWorker } from './erasure-check.worker.js';
import { ErasureJournal } from './erasure-journal.service.js';
import { ErasureLeases } from './erasure-leases.service.js';
import { ErasuresController } from './erasures.controller.js';
import { ErasuresRepository } from './erasures.repository.js';
import { ExportController } from './export.controller.js';
import { ExportReader } from './export.reader.js';
import { ExportService } from './export.service.js';
import { LocalDeletion } from './local-deletion.service.js';
import { PersonalDataMap } from './personal-data-map.js';
import { PersonalRowsRepository } from './personal-rows.repository.js';
import { RepeatedErasures } from './repeated-erasures.service.js';
import { UpstreamDeletion } from './upstream-deletion.service.js';

/** The map of personal data, its export, and its erasure here and upstream. */
@Module({
  imports: [AccountsModule, ErasureGuardModule, InboxModule, OrdersModule, UpstreamModule],
  controllers: [ExportController, ErasuresController],
  providers: [
    PersonalDataMap,
    ExportReader,
    ExportService,
    ErasuresRepository,
    PersonalRowsRepository,
    ErasureTelemetry,
    ErasureService,
    ErasureJournal,
    RepeatedErasures,
    ErasureLeases,
    LocalDeletion,
    UpstreamDeletion,
    ErasureWorker,
    ErasureCheckWorker,
  ],
})
export class ErasureModule {}
