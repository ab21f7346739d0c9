import { Module } from '@nestjs/common';
import { RowRetentionRepository } from './row-retention.repository.js';
import { RowRetentionWorker } from './row-retention.worker.js';

/** Deletes work rows that ended long ago, as declared by their rooms. */
@Module({ providers: [RowRetentionRepository, RowRetentionWorker] })
export class RowRetentionModule {}
