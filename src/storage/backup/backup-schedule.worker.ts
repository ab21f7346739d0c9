import { Injectable } from '@nestjs/common';
import { BackupConfig } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import { ThisProcess } from '../../platform/platform/this-process.js';
import { BACKUP_EVERY_MS, MAX_BACKUP_MS } from '../database/tuning.js';
import { SchemaService } from '../schema/schema.service.js';
import type { WorkerLoop, WorkOutcome } from '../work/worker-loop.js';
import { WorkerRegistry } from '../work/worker-registry.js';
import { KeptBackups } from './kept-backups.js';

/**
 * Makes and verifies backups of a SQLite database on schedule, like the command, and keeps the newest. On PostgreSQL it
 * makes none. On both it checks the age of the newest backup in the folder. Needs no lease, because a SQLite database
 * has one process. If that process dies during a backup, the next round removes the .part.
 */
@Injectable()
export class BackupScheduleWorker {
  readonly loop: WorkerLoop;

  constructor(
    private readonly config: BackupConfig,
    private readonly backups: KeptBackups,
    private readonly schema: SchemaService,
    private readonly clock: Clock,
    private readonly thisProcess: ThisProcess,
    workers: WorkerRegistry,
  ) {
    const work = (signal: AbortSignal): Promise<WorkOutcome> => this.work(signal);
    this.loop = workers.register({ name: 'backup', everyMs: BACKUP_EVERY_MS, stuckAfterMs: MAX_BACKUP_MS, work });
  }

  private async work(signal: AbortSignal): Promise<WorkOutcome> {
    if (this.config.folder === undefined) return 'idle';
    await this.backups.update(this.config.folder, signal);
    await this.tell();
    return 'idle';
  }

  /** Without a backup, the age counts from the first start on the database. */
  private async tell(): Promise<void> {
    const since = this.backups.newestAt ?? (await this.schema.stampedAt());
    const isLate = since !== null && this.clock.now() - since > 2 * this.backups.intervalMs;
    if (isLate) this.thisProcess.note('backup_late', since);
    else this.thisProcess.clear('backup_late');
  }
}
