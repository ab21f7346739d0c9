import { Module } from '@nestjs/common';
import { AccessLogEvents } from './access-log.events.js';
import { AccessLogRepository } from './access-log.repository.js';
import { AccessLog } from './access-log.service.js';
import { AccessLogWorker } from './access-log.worker.js';
import { ChainUpkeep } from './chain/chain-upkeep.js';
import { ChainVerifier } from './chain/chain-verifier.js';
import { AccessLogController } from './http/access-log.controller.js';
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
