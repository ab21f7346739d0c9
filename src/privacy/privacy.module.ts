import { Global, Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { ValueAccesses } from '../http/auth/value-accesses.js';
import { IngestModule } from '../ingest/ingest.module.js';
import { LabsModule } from '../labs/labs.module.js';
import { UpstreamModule } from '../upstream/upstream.module.js';
import { AccessLogController } from './access-log/access-log.controller.js';
import { AccessLogRepository } from './access-log/access-log.repository.js';
import { AccessLog } from './access-log/access-log.service.js';
import { AccessLogStream } from './access-log/access-log.stream.js';
import { AccessLogTelemetry } from './access-log/access-log.telemetry.js';
import { AccessLogSearch } from './access-log/access-log-search.service.js';
import { AuditInterceptor } from './access-log/audit.interceptor.js';
import { ChainWorker } from './access-log/chain.worker.js';
import { ChainRetentionWorker } from './access-log/chain-retention.worker.js';
import { RequestRecorder } from './access-log/request-recorder.js';
import { SubjectReader } from './access-log/subject.reader.js';
import { VerificationController } from './access-log/verification.controller.js';
import { AccessLogVerification } from './access-log/verification.service.js';
import { ErasureService } from './erasure/erasure.service.js';
import { ErasureTelemetry } from './erasure/erasure.telemetry.js';
import { ErasureWorker } from './erasure/erasure.worker.js';
import { ErasureCheckWorker } from './erasure/erasure-check.worker.js';
import { ErasureJournal } from './erasure/erasure-journal.service.js';
import { ErasureLeases } from './erasure/erasure-leases.service.js';
import { ErasureMarks } from './erasure/erasure-marks.js';
import { ErasureRepeatWorker } from './erasure/erasure-repeat.worker.js';
import { ErasuresController } from './erasure/erasures.controller.js';
import { ErasuresRepository } from './erasure/erasures.repository.js';
import { ExportController } from './erasure/export.controller.js';
import { ExportReader } from './erasure/export.reader.js';
import { ExportService } from './erasure/export.service.js';
import { LocalDeletion } from './erasure/local-deletion.service.js';
import { OwnDataController } from './erasure/own-data.controller.js';
import { OwnerlessMessages } from './erasure/ownerless-messages.js';
import { PersonalDataMap } from './erasure/personal-data-map.js';
import { PersonalRowsRepository } from './erasure/personal-rows.repository.js';
import { RepeatedErasures } from './erasure/repeated-erasures.service.js';
import { UpstreamDeletion } from './erasure/upstream-deletion.service.js';

/**
 * The access log, the export and the erasure of a person. The application must add `AuditInterceptor` and call
 * `registerRecordedAnswers`.
 */
@Global()
@Module({
  imports: [UpstreamModule, AccountsModule, LabsModule, IngestModule],
  controllers: [AccessLogController, VerificationController, ExportController, OwnDataController, ErasuresController],
  providers: [
    AccessLogTelemetry,
    AccessLogRepository,
    AccessLog,
    AccessLogSearch,
    AccessLogStream,
    AccessLogVerification,
    ChainWorker,
    ChainRetentionWorker,
    SubjectReader,
    RequestRecorder,
    { provide: ValueAccesses, useExisting: RequestRecorder },
    AuditInterceptor,
    PersonalDataMap,
    ExportReader,
    ExportService,
    ErasuresRepository,
    PersonalRowsRepository,
    ErasureTelemetry,
    ErasureService,
    ErasureMarks,
    ErasureJournal,
    RepeatedErasures,
    ErasureRepeatWorker,
    ErasureLeases,
    LocalDeletion,
    OwnerlessMessages,
    UpstreamDeletion,
    ErasureWorker,
    ErasureCheckWorker,
  ],
  exports: [AccessLog, AccessLogSearch, ValueAccesses],
})
export class PrivacyModule {}
