import { Module } from '@nestjs/common';
import { AccessLogController } from './access-log.controller.js';
import { AccessLogRepository } from './access-log.repository.js';
import { AccessLog } from './access-log.service.js';
import { AccessLogStream } from './access-log.stream.js';
import { AccessLogTelemetry } from './access-log.telemetry.js';
import { AccessLogWorker } from './access-log.worker.js';
import { ChainRetention } from './chain-retention.js';
import { RepeatsWorker } from './repeats.worker.js';

@Module({
  controllers: [AccessLogController],
  providers: [
    AccessLogTelemetry,
    AccessLogRepository,
    ChainRetention,
    AccessLog,
    AccessLogStream,
    AccessLogWorker,
    RepeatsWorker,
  ],
  exports: [AccessLog],
})
export class AccessLogModule {}
