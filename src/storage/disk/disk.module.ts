import { Module } from '@nestjs/common';
import { DiskWatchWorker } from './disk-watch.worker.js';

@Module({ providers: [DiskWatchWorker] })
export class DiskModule {}
