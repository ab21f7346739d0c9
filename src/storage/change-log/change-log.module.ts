import { Module } from '@nestjs/common';
import { ChangeLogRepository } from './change-log.repository.js';
import { ChangeLog } from './change-log.service.js';
import { ChangeRetentionWorker } from './change-retention.worker.js';
import { ChangeTail } from './change-tail.js';
import { SequencerWorker } from './sequencer.worker.js';

@Module({
  providers: [ChangeLog, ChangeLogRepository, ChangeRetentionWorker, ChangeTail, SequencerWorker],
  exports: [ChangeLog, ChangeTail],
})
export class ChangeLogModule {}
