import { Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts/accounts.module.js';
import { UpstreamModule } from '../../upstream/client/upstream.module.js';
import { OrderIntakeModule } from '../intake/order-intake.module.js';
import { OrdersModule } from '../orders/orders.module.js';
import { OwnResultsController } from './own-results.controller.js';
import { OwnResultsService } from './own-results.service.js';
import { ResultFetchWorker } from './result-fetch.worker.js';
import { ResultPdfs } from './result-pdfs.service.js';
import { ResultSubjects } from './result-subjects.js';
import { ResultsController } from './results.controller.js';
import { ResultsRepository } from './results.repository.js';
import { ResultsService } from './results.service.js';
import { ResultsTelemetry } from './results.telemetry.js';
import { StoreResult } from './store-result.js';
import { UpstreamResults } from './upstream-results.js';

/** Reads results of orders from upstream, stores their versions and returns them; passes PDFs through. */
@Module({
  imports: [AccountsModule, UpstreamModule, OrdersModule, OrderIntakeModule],
  controllers: [ResultsController, OwnResultsController],
  providers: [
    ResultsTelemetry,
    ResultsRepository,
    StoreResult,
    UpstreamResults,
    ResultSubjects,
    ResultsService,
    ResultPdfs,
    ResultFetchWorker,
    OwnResultsService,
  ],
  exports: [ResultsService],
})
export class LabResultsModule {}
