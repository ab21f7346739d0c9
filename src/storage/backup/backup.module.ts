import { Module } from '@nestjs/common';
import { BackupScheduleWorker } from './backup-schedule.worker.js';

@Module({ providers: [BackupScheduleWorker] })
export class BackupModule {}
