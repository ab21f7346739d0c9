import { Module } from '@nestjs/common';
import { BackupTelemetry } from './backup.telemetry.js';
import { BackupScheduleWorker } from './backup-schedule.worker.js';

@Module({ providers: [BackupTelemetry, BackupScheduleWorker] })
export class BackupModule {}
