import { Global, Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts/accounts.module.js';
import { ValueAccesses } from '../../http/auth/value-accesses.js';
import { AccessLogController } from './access-log.controller.js';
import { AccessLogRepository } from './access-log.repository.js';
import { AccessLog } from './access-log.service.js';
import { AccessLogStream } from './access-log.stream.js';
import { AccessLogTelemetry } from './access-log.telemetry.js';
import { AuditInterceptor } from './audit.interceptor.js';
import { ChainRetentionWorker } from './chain-retention.worker.js';
import { RequestRecorder } from './request-recorder.js';
import { SubjectReader } from './subject.reader.js';
import { VerificationController } from './verification.controller.js';
import { AccessLogVerification } from './verification.service.js';

/** The application must add `AuditInterceptor` and call `registerRecordedAnswers`. */
@Global()
@Module({
  imports: [AccountsModule],
  controllers: [AccessLogController, VerificationController],
  providers: [
    AccessLogTelemetry,
    AccessLogRepository,
    AccessLog,
    AccessLogStream,
    AccessLogVerification,
    ChainRetentionWorker,
    SubjectReader,
    RequestRecorder,
    { provide: ValueAccesses, useExisting: RequestRecorder },
    AuditInterceptor,
  ],
  exports: [AccessLog, ValueAccesses],
})
export class AccessLogModule {}
