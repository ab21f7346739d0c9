import { Module } from '@nestjs/common';
import { AccessLogController } from './access-log/access-log.controller.js';
import { AccessLogRepository } from './access-log/access-log.repository.js';
import { AccessLog } from './access-log/access-log.service.js';
import { AccessLogTelemetry } from './access-log/access-log.telemetry.js';
import { AccessLogWorker } from './access-log/access-log.worker.js';
import { ChainRetention } from './access-log/chain-retention.js';
import { ChainVerifier } from './access-log/chain-verifier.js';
import { AccountsModule } from './accounts/accounts.module.js';
import { AuditInterceptor } from './request-audit/audit.interceptor.js';
import { RequestRecorder } from './request-audit/request-recorder.js';
import { SubjectReader } from './request-audit/subject.reader.js';

@Module({
  imports: [AccountsModule],
  controllers: [AccessLogController],
  providers: [
    AccessLogTelemetry,
    AccessLogRepository,
    ChainVerifier,
    ChainRetention,
    AccessLog,
    AccessLogWorker,
    SubjectReader,
    RequestRecorder,
    AuditInterceptor,
  ],
  exports: [AccessLog],
})
export class AccessLogModule {}
