import { dirname, resolve } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { BackupConfig, ErasureConfig } from '../../platform/config/config.js';
import { DatabaseConfig } from '../../platform/config/database-config.js';
import { Clock } from '../../platform/platform/clock.js';
import { Metrics } from '../../platform/platform/metrics.js';
import { DiskTrend } from './disk-trend.js';
import { freeBytesIn } from './free-bytes.js';

export interface WatchedDisk {
  /** Contents; a label of the metric. */
  readonly content: 'database' | 'journal' | 'backups';
  readonly folder: string;
  readonly trend: DiskTrend;
  /** Null before the first reading and while the disk cannot be read. */
  freeBytes: number | null;
}

/** The disks this process writes to. A PostgreSQL database is on a disk that this process cannot see. */
@Injectable()
export class WatchedDisks {
  readonly all: readonly WatchedDisk[];

  constructor(
    @Inject(DatabaseConfig) database: DatabaseConfig,
    { journalPath }: ErasureConfig,
    { folder }: BackupConfig,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    this.all = [
      ...(database.kind === 'sqlite' ? [watch('database', dirname(resolve(database.path)))] : []),
      ...(journalPath === undefined ? [] : [watch('journal', dirname(resolve(journalPath)))]),
      ...(folder === undefined ? [] : [watch('backups', resolve(folder))]),
    ];
    const help = 'Free disk space for the SQLite file, the erasure journal and the backups';
    metrics.gauge('disk_free_bytes', help, ['content'], (gauge) => {
      gauge.reset();
      for (const { content, freeBytes } of this.all) if (freeBytes !== null) gauge.set({ content }, freeBytes);
    });
  }

  /** Reads the free space of every disk. */
  async read(): Promise<void> {
    for (const disk of this.all) {
      disk.freeBytes = await freeBytesIn(disk.folder).catch(() => null);
      if (disk.freeBytes !== null) disk.trend.note(disk.freeBytes, this.clock.monotonic());
    }
  }

  /** The disk of the database; null if this process does not see it. `hoursLeft` as in {@link DiskTrend}. */
  ofDatabase(): { freeBytes: number | null; hoursLeft: number | null; hasHistory: boolean } | null {
    const disk = this.all.find(({ content }) => content === 'database');
    if (!disk) return null;
    const { freeBytes, trend } = disk;
    const hoursLeft = freeBytes === null ? null : trend.hoursLeft(freeBytes);
    return { freeBytes, hoursLeft, hasHistory: trend.hasHistory };
  }
}

function watch(content: WatchedDisk['content'], folder: string): WatchedDisk {
  return { content, folder, trend: new DiskTrend(), freeBytes: null };
}
