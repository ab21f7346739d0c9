import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { UpstreamModule } from '../upstream/upstream.module.js';
import { AppointmentsController, CancellationReasonsController } from './appointments/appointments.controller.js';
import { AppointmentsTelemetry } from './appointments/appointments.telemetry.js';
import { BookingService } from './appointments/booking.service.js';
import { ChangingService } from './appointments/changing.service.js';
import { UpstreamAppointments } from './appointments/upstream-appointments.js';
import { AvailabilityService } from './catalogue/availability.service.js';
import { AvailabilityInput } from './catalogue/availability-input.js';
import { CompendiumService } from './catalogue/compendium.service.js';
import { ConversionService } from './catalogue/conversion.service.js';
import { LabCalls } from './catalogue/lab-calls.js';
import { LabTestsController } from './catalogue/lab-tests.controller.js';
import { LabTestsService } from './catalogue/lab-tests.service.js';
import { AdminLabsController, AppLabsController } from './catalogue/labs.controller.js';
import { LabsTelemetry } from './catalogue/labs.telemetry.js';
import { AdminPlacesController, AppPlacesController, OwnPlacesController } from './catalogue/places.controller.js';
import { PlacesService } from './catalogue/places.service.js';
import { DocumentsTelemetry } from './documents/documents.telemetry.js';
import { LabReportsController, OwnLabReportsController } from './documents/lab-reports.controller.js';
import { LabReportsTelemetry } from './documents/lab-reports.telemetry.js';
import { OrderDocumentsController, OwnOrderDocumentsController } from './documents/order-documents.controller.js';
import { OrderDocuments } from './documents/order-documents.service.js';
import { ParsingJobReadWorker } from './documents/parsing-job-read.worker.js';
import { ParsingJobsController } from './documents/parsing-jobs.controller.js';
import { ParsingJobsRepository } from './documents/parsing-jobs.repository.js';
import { ParsingJobs } from './documents/parsing-jobs.service.js';
import { UploadingService } from './documents/uploading.service.js';
import { UpstreamParsingJobs } from './documents/upstream-parsing-jobs.js';
import { CapabilityController } from './fhir/capability.controller.js';
import { IdempotencyKeysRepository } from './keys/idempotency-keys.repository.js';
import { IdempotencyKeys } from './keys/idempotency-keys.service.js';
import { OrderPairsService } from './order-api/order-pairs.service.js';
import { OrderTransactionsController } from './order-api/order-transactions.controller.js';
import { OrdersController } from './order-api/orders.controller.js';
import { OwnOrdersController } from './order-api/own-orders.controller.js';
import { CriticalResults } from './orders/critical-results.service.js';
import { DueReads } from './orders/due-reads.repository.js';
import { LabEventsRepository } from './orders/lab-events.repository.js';
import { OrderReadsService } from './orders/order-reads.service.js';
import { OrdersReader } from './orders/orders.reader.js';
import { OrdersRepository } from './orders/orders.repository.js';
import { OrdersService } from './orders/orders.service.js';
import { OrdersTelemetry } from './orders/orders.telemetry.js';
import { OrdersApply } from './orders/orders-apply.service.js';
import { PatientNotificationsRepository } from './orders/patient-notifications.repository.js';
import { PatientNotifications } from './orders/patient-notifications.service.js';
import { Replacements } from './orders/replacements.service.js';
import { CancellingService } from './placing/cancelling.service.js';
import { OrderCalls } from './placing/order-calls.js';
import { PlacingController } from './placing/placing.controller.js';
import { PlacingService } from './placing/placing.service.js';
import { PlacingTelemetry } from './placing/placing.telemetry.js';
import { FhirBundles } from './results/fhir-bundles.service.js';
import { OwnResultsController } from './results/own-results.controller.js';
import { OwnResultsService } from './results/own-results.service.js';
import { ResultChangesController } from './results/result-changes.controller.js';
import { ResultFetchWorker } from './results/result-fetch.worker.js';
import { ResultPdfs } from './results/result-pdfs.service.js';
import { ResultSubjects } from './results/result-subjects.js';
import { ResultsController } from './results/results.controller.js';
import { ResultsRepository } from './results/results.repository.js';
import { ResultsService } from './results/results.service.js';
import { ResultsTelemetry } from './results/results.telemetry.js';
import { StoreResult } from './results/store-result.js';
import { UpstreamResults } from './results/upstream-results.js';
import { DecidingService } from './reviews/deciding.service.js';
import { LabWorkController } from './reviews/lab-work.controller.js';
import { LabWorkReader } from './reviews/lab-work.reader.js';
import { UnmatchedResultReadWorker } from './reviews/unmatched-result-read.worker.js';
import { UnmatchedResultWalkWorker } from './reviews/unmatched-result-walk.worker.js';
import { UnmatchedResultsController } from './reviews/unmatched-results.controller.js';
import { UnmatchedResultsRepository } from './reviews/unmatched-results.repository.js';
import { UnmatchedResults } from './reviews/unmatched-results.service.js';
import { UnmatchedResultsTelemetry } from './reviews/unmatched-results.telemetry.js';
import { OrderListSync } from './upstream-orders/order-list-sync.js';
import { OrderOwners } from './upstream-orders/order-owners.js';
import { OrderRefreshWorker } from './upstream-orders/order-refresh.worker.js';
import { OrderSyncWorker } from './upstream-orders/order-sync.worker.js';
import { UnlistedOrders } from './upstream-orders/unlisted-orders.js';
import { UpstreamOrders } from './upstream-orders/upstream-orders.js';

/** Lab tests, orders, appointments, results and their reviews. */
@Module({
  imports: [UpstreamModule, AccountsModule],
  controllers: [
    CapabilityController,
    UnmatchedResultsController,
    OrdersController,
    OrderTransactionsController,
    OwnOrdersController,
    ParsingJobsController,
    LabWorkController,
    ResultsController,
    OwnResultsController,
    ResultChangesController,
    OrderDocumentsController,
    OwnOrderDocumentsController,
    LabReportsController,
    OwnLabReportsController,
    AppointmentsController,
    CancellationReasonsController,
    AppLabsController,
    AdminLabsController,
    LabTestsController,
    AppPlacesController,
    OwnPlacesController,
    AdminPlacesController,
    PlacingController,
  ],
  providers: [
    IdempotencyKeysRepository,
    IdempotencyKeys,
    OrdersRepository,
    LabEventsRepository,
    CriticalResults,
    OrdersReader,
    OrdersService,
    OrderReadsService,
    ParsingJobsRepository,
    LabWorkReader,
    ParsingJobs,
    UpstreamParsingJobs,
    ParsingJobReadWorker,
    PatientNotificationsRepository,
    PatientNotifications,
    Replacements,
    DueReads,
    OrdersTelemetry,
    OrdersApply,
    UnmatchedResultsTelemetry,
    UnmatchedResultsRepository,
    UnmatchedResults,
    DecidingService,
    UnmatchedResultReadWorker,
    UnmatchedResultWalkWorker,
    OrderPairsService,
    ResultsTelemetry,
    ResultsRepository,
    StoreResult,
    UpstreamResults,
    ResultSubjects,
    FhirBundles,
    ResultsService,
    ResultPdfs,
    ResultFetchWorker,
    OwnResultsService,
    DocumentsTelemetry,
    OrderDocuments,
    LabReportsTelemetry,
    UploadingService,
    AppointmentsTelemetry,
    UpstreamAppointments,
    BookingService,
    ChangingService,
    LabsTelemetry,
    LabCalls,
    AvailabilityInput,
    AvailabilityService,
    CompendiumService,
    ConversionService,
    LabTestsService,
    PlacesService,
    PlacingTelemetry,
    OrderCalls,
    PlacingService,
    CancellingService,
    UpstreamOrders,
    OrderOwners,
    UnlistedOrders,
    OrderListSync,
    OrderRefreshWorker,
    OrderSyncWorker,
  ],
  exports: [
    OrdersApply,
    OrdersService,
    OrdersTelemetry,
    OrderReadsService,
    ParsingJobs,
    PatientNotifications,
    UnmatchedResults,
    ResultsService,
    FhirBundles,
    OrderListSync,
    UpstreamOrders,
  ],
})
export class LabsModule {}
