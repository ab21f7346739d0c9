import { once } from 'node:events';
import { Inject, Injectable } from '@nestjs/common';
import { BackupConfig } from '../../platform/config/config.js';
import { DatabaseConfig, type SqliteConfig } from '../../platform/config/database-config.js';
import { version } from '../../platform/config/versions.js';
import { Clock } from '../../platform/platform/clock.js';
import { describeError } from '../../platform/platform/errors.js';
import { Log } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';
import { Outcomes } from '../../platform/platform/outcomes.js';
import { makePrivateFolder } from '../../platform/platform/private-file.js';
import { startThread } from '../../platform/platform/start-thread.js';
import { ThisProcess } from '../../platform/platform/this-process.js';
import { HOUR_MS } from '../../platform/platform/time.js';
import { SchemaService } from '../schema/schema.service.js';
import type { WorkerLoop, WorkOutcome } from '../work/worker-loop.js';
import { WorkerRegistry } from '../work/worker-registry.js';
import { BackupFolder } from './backup-folder.js';
import type { BackupAnswer, BackupRequest } from './make-backup.thread.js';
import { BackupError, type Manifest } from './manifest.js';

const everyMs = 60_000;
const BACKUPS_KEPT = 7;
/** The cause of a failed backup rarely disappears quickly, and each attempt reads the complete database. */
const AGAIN_MS = 900_000;
/** For a large database on a slow disk. */
const LONGEST_MS = 6 * HOUR_MS;

/**
 * Makes and verifies backups of a SQLite database on schedule, like the command, and keeps the newest. On PostgreSQL it
 * makes none. On both it checks the age of the newest backup in the folder. Needs no lease, because a SQLite database
 * has one process. If that process dies during a backup, the next round removes the .part.
 */
@Injectable()
export class BackupScheduleWorker {
  readonly loop: WorkerLoop;
  private readonly intervalMs: number;
  private readonly outcomes: Outcomes;
  private newestAt: number | null = null;
  /** Monotonic time. */
  private notBefore = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly config: BackupConfig,
    @Inject(DatabaseConfig) private readonly database: DatabaseConfig,
    private readonly schema: SchemaService,
    private readonly clock: Clock,
    private readonly thisProcess: ThisProcess,
    log: Log,
    metrics: Metrics,
    workers: WorkerRegistry,
  ) {
    this.intervalMs = config.intervalHours * HOUR_MS;
    const work = (signal: AbortSignal): Promise<WorkOutcome> => this.work(signal);
    this.loop = workers.register({ name: 'backup', everyMs, stuckAfterMs: LONGEST_MS, work });
    this.outcomes = new Outcomes(log, metrics, 'backups_total', 'Scheduled backups by outcome');
    if (config.folder === undefined) return;
    const help = 'Age of the newest backup in BACKUP_FOLDER';
    metrics.gauge('recovery_point_seconds', help, [], (gauge) => {
      gauge.remove();
      if (this.newestAt !== null) gauge.set(Math.max(0, clock.now() - this.newestAt) / 1_000);
    });
  }

  private async work(signal: AbortSignal): Promise<WorkOutcome> {
    if (this.config.folder === undefined) return 'idle';
    if (this.clock.monotonic() >= this.notBefore) {
      await this.look(this.config.folder, signal).catch((error: unknown) => {
        if (!signal.aborted) this.failed(error);
      });
    }
    await this.tell();
    return 'idle';
  }

  private async look(path: string, signal: AbortSignal): Promise<void> {
    const folder = new BackupFolder(path);
    makePrivateFolder(path);
    const now = this.clock.now();
    if (this.database.kind === 'sqlite') await folder.tidy(BACKUPS_KEPT, now);
    this.newestAt = await folder.newestAt(now);
    if (this.database.kind === 'sqlite' && this.isDue()) await this.make(this.database, folder, signal);
  }

  private isDue(): boolean {
    return this.newestAt === null || this.clock.now() - this.newestAt >= this.intervalMs;
  }

  private async make({ path, key }: SqliteConfig, folder: BackupFolder, signal: AbortSignal): Promise<void> {
    const now = this.clock.now();
    const started = performance.now();
    const source = { path, key: key?.reveal() };
    const { bytes } = await inThread({ source, target: folder.pathFor(now), now, version }, signal);
    this.newestAt = now;
    const duration_ms = Math.round(performance.now() - started);
    this.outcomes.note('made', 'database.backup_made', { bytes, duration_ms });
    await folder.tidy(BACKUPS_KEPT, this.clock.now());
  }

  private failed(error: unknown): void {
    this.notBefore = this.clock.monotonic() + AGAIN_MS;
    this.outcomes.note('failed', 'database.backup_failed', describeError(error), 'error');
  }

  /** Without a backup, the age counts from the first start on the database. */
  private async tell(): Promise<void> {
    const since = this.newestAt ?? (await this.schema.stampedAt());
    const isLate = since !== null && this.clock.now() - since > 2 * this.intervalMs;
    if (isLate) this.thisProcess.note('backup_late', since);
    else this.thisProcess.clear('backup_late');
  }
}

/** Throws {@link BackupError}; the signal ends the thread. */
async function inThread(request: BackupRequest, signal: AbortSignal): Promise<Manifest> {
  const thread = startThread(new URL('./make-backup.thread.js', import.meta.url), { workerData: request });
  try {
    const [answer] = (await once(thread, 'message', { signal })) as [BackupAnswer];
    if ('problems' in answer) throw new BackupError(answer.problems);
    return answer.made;
  } finally {
    await thread.terminate();
  }
}
