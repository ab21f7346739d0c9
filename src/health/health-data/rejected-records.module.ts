import { Module } from '@nestjs/common';
import { RejectedRecordsRepository } from './rejected-records.repository.js';
import { RejectedRecords } from './rejected-records.service.js';
import { RejectedRecordsTelemetry } from './rejected-records.telemetry.js';
import { RejectedRecordsWorker } from './rejected-records.worker.js';

/** What upstream sent and cannot be stored as a record. */
@Module({
  providers: [RejectedRecordsRepository, RejectedRecordsTelemetry, RejectedRecordsWorker, RejectedRecords],
  exports: [RejectedRecords],
})
export class RejectedRecordsModule {}
