import { Module } from '@nestjs/common';
import { AccessLogController } from './access-log/access-log.controller.js';
import { AccessLogRepository } from './access-log/access-log.repository.js';
import { AccessLog } from './access-log/access-log.service.js';
import { AccessLogEvents } from './access-log/access-log.telemetry.js';
import { AccessLogWorker } from './access-log/access-log.worker.js';
import { ChainUpkeep } from './access-log/chain-retention.js';
import { ChainVerifier } from './access-log/chain-verifier.js';
import { ActInterceptor } from './request-audit/audit.interceptor.js';
import { RequestRecorder } from './request-audit/request-recorder.js';
import { AboutReader } from './request-audit/subject.reader.js';

@Module({
  controllers: [AccessLogController],
  providers: [
    AccessLogEvents,
    AccessLogRepository,
    ChainVerifier,
    ChainUpkeep,
    AccessLog,
    AccessLogWorker,
    AboutReader,
    RequestRecorder,
    ActInterceptor,
  ],
  exports: [AccessLog],
})
export class AccessLogModule {}
