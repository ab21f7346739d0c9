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
import { HOUR_MS } from '../../platform/platform/time.js';
import { BACKUP_RETRY_MS } from '../database/tuning.js';
import { BackupFolder } from './backup-folder.js';
import type { BackupAnswer, BackupRequest } from './make-backup.thread.js';
import { BackupError, type Manifest } from './manifest.js';

const BACKUPS_KEPT = 7;

/** The backups in `BACKUP_FOLDER`. Of a SQLite database it makes and verifies them, like the command. */
@Injectable()
export class KeptBackups {
  readonly intervalMs = this.config.intervalHours * HOUR_MS;
  /** Time of the newest backup; null if none is known. */
  newestAt: number | null = null;
  private readonly outcomes: Outcomes;
  /** Monotonic time. */
  private notBefore = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly config: BackupConfig,
    @Inject(DatabaseConfig) private readonly database: DatabaseConfig,
    private readonly clock: Clock,
    log: Log,
    metrics: Metrics,
  ) {
    this.outcomes = new Outcomes(log, metrics, 'backups_total', 'Scheduled backups by outcome');
    if (config.folder === undefined) return;
    const help = 'Age of the newest backup in BACKUP_FOLDER';
    metrics.gauge('recovery_point_seconds', help, [], (gauge) => {
      gauge.remove();
      if (this.newestAt !== null) gauge.set(Math.max(0, clock.now() - this.newestAt) / 1_000);
    });
  }

  /** Looks at the folder, and makes a backup if one is due. A failed attempt is repeated after a while. */
  async update(path: string, signal: AbortSignal): Promise<void> {
    if (this.clock.monotonic() < this.notBefore) return;
    await this.look(path, signal).catch((error: unknown) => {
      if (!signal.aborted) this.failed(error);
    });
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
    this.notBefore = this.clock.monotonic() + BACKUP_RETRY_MS;
    this.outcomes.note('failed', 'database.backup_failed', describeError(error), 'error');
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
