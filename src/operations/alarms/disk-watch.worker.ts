import { dirname, resolve } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { BackupConfig, DiskConfig, ErasureConfig } from '../../platform/config/config.js';
import { DatabaseConfig } from '../../platform/config/database-config.js';
import { Clock } from '../../platform/platform/clock.js';
import { Log } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';
import { ThisProcess } from '../../platform/platform/this-process.js';
import { HOUR_MS } from '../../platform/platform/time.js';
import type { WorkerLoop, WorkOutcome } from '../../storage/work/worker-loop.js';
import { WorkerRegistry } from '../../storage/work/worker-registry.js';
import { DiskTrend } from './disk-trend.js';
import { freeBytesIn } from './free-bytes.js';

const everyMs = 60_000;
const LEAST_HOURS = 24;

interface Watched {
  /** Contents; a label of the metric. */
  readonly content: 'database' | 'journal' | 'backups';
  readonly folder: string;
  readonly trend: DiskTrend;
  /** Null before the first reading and while the disk cannot be read. */
  freeBytes: number | null;
  isLow: boolean;
}

/**
 * Reads the free space of the disks this process writes to, and sets the sign `disk_low` while one has less than
 * `DISK_LOW_BYTES` or will be full within 24 hours. A PostgreSQL database is on a disk that this process cannot see.
 * Needs no lease, because every machine has its own disks.
 */
@Injectable()
export class DiskWatchWorker {
  readonly loop: WorkerLoop;
  private readonly watched: readonly Watched[];

  constructor(
    private readonly config: DiskConfig,
    @Inject(DatabaseConfig) database: DatabaseConfig,
    { journalPath }: ErasureConfig,
    { folder }: BackupConfig,
    private readonly clock: Clock,
    private readonly thisProcess: ThisProcess,
    private readonly log: Log,
    metrics: Metrics,
    workers: WorkerRegistry,
  ) {
    this.watched = [
      ...(database.kind === 'sqlite' ? [watch('database', dirname(resolve(database.path)))] : []),
      ...(journalPath === undefined ? [] : [watch('journal', dirname(resolve(journalPath)))]),
      ...(folder === undefined ? [] : [watch('backups', resolve(folder))]),
    ];
    this.loop = workers.register({ name: 'disk', everyMs, inEveryRole: true, work: () => this.look() });
    const help = 'Free disk space for the SQLite file, the erasure journal and the backups';
    metrics.gauge('disk_free_bytes', help, ['content'], (gauge) => {
      gauge.reset();
      for (const { content, freeBytes } of this.watched) if (freeBytes !== null) gauge.set({ content }, freeBytes);
    });
  }

  /** The disk of the database; null if this process does not see it. `hoursLeft` as in {@link DiskTrend}. */
  ofDatabase(): { freeBytes: number | null; hoursLeft: number | null; hasHistory: boolean } | null {
    const disk = this.watched.find(({ content }) => content === 'database');
    if (!disk) return null;
    const { freeBytes, trend } = disk;
    const hoursLeft = freeBytes === null ? null : trend.hoursLeft(freeBytes);
    return { freeBytes, hoursLeft, hasHistory: trend.hasHistory };
  }

  private async look(): Promise<WorkOutcome> {
    for (const disk of this.watched) await this.read(disk);
    if (this.watched.some(({ isLow }) => isLow)) this.thisProcess.note('disk_low', this.clock.now());
    else this.thisProcess.clear('disk_low');
    return 'idle';
  }

  /** A disk that cannot be read keeps its state. */
  private async read(disk: Watched): Promise<void> {
    const freeBytes = await freeBytesIn(disk.folder).catch(() => null);
    disk.freeBytes = freeBytes;
    if (freeBytes === null) return;
    disk.trend.note(freeBytes, this.clock.monotonic());
    const hoursLeft = disk.trend.hoursLeft(freeBytes);
    const isLow = freeBytes < this.config.lowBytes || (hoursLeft !== null && hoursLeft < LEAST_HOURS);
    if (isLow && !disk.isLow) this.sayLow(disk.content, freeBytes, hoursLeft);
    disk.isLow = isLow;
  }

  private sayLow(content: Watched['content'], bytes: number, hoursLeft: number | null): void {
    const reason = bytes < this.config.lowBytes ? 'below_limit' : 'full_within_a_day';
    const duration = hoursLeft === null ? {} : { delay_ms: Math.round(hoursLeft * HOUR_MS) };
    this.log.event('disk.low', { kind: content, bytes, reason, ...duration }, 'warn');
  }
}

function watch(content: Watched['content'], folder: string): Watched {
  return { content, folder, trend: new DiskTrend(), freeBytes: null, isLow: false };
}
