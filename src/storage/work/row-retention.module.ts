import { Module } from '@nestjs/common';
import { RowRetentionRepository } from './row-retention.repository.js';
import { RowRetentionWorker } from './row-retention.worker.js';

/** Deletes rows of work that ended long ago, as their rooms declare them. */
@Module({ providers: [RowRetentionRepository, RowRetentionWorker] })
export class RowRetentionModule {}
