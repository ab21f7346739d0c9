import { Module } from '@nestjs/common';
import { AccessLogController } from './access-log.controller.js';
import { AccessLogRepository } from './access-log.repository.js';
import { AccessLog } from './access-log.service.js';
import { AccessLogEvents } from './access-log.telemetry.js';
import { AccessLogWorker } from './access-log.worker.js';
import { ChainUpkeep } from './chain-retention.js';
import { ChainVerifier } from './chain-verifier.js';
import { AboutReader } from './recording/about.reader.js';
import { ActInterceptor } from './recording/act.interceptor.js';
import { RequestRecorder } from './recording/request-recorder.js';

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
