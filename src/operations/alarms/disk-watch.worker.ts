import { Injectable } from '@nestjs/common';
import { DiskConfig } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import { Log } from '../../platform/platform/log.js';
import { ThisProcess } from '../../platform/platform/this-process.js';
import { HOUR_MS } from '../../platform/platform/time.js';
import type { WorkerLoop, WorkOutcome } from '../../storage/work/worker-loop.js';
import { WorkerRegistry } from '../../storage/work/worker-registry.js';
import { DISK_WATCH_EVERY_MS } from './tuning.js';
import { type WatchedDisk, WatchedDisks } from './watched-disks.js';

const MIN_HOURS = 24;

/**
 * Sets the sign `disk_low` while a disk that this process writes to has less free space than `DISK_LOW_BYTES` or will
 * be full within 24 hours. Needs no lease, because every machine has its own disks.
 */
@Injectable()
export class DiskWatchWorker {
  readonly loop: WorkerLoop;
  private readonly low = new Set<WatchedDisk>();

  constructor(
    private readonly config: DiskConfig,
    private readonly disks: WatchedDisks,
    private readonly clock: Clock,
    private readonly thisProcess: ThisProcess,
    private readonly log: Log,
    workers: WorkerRegistry,
  ) {
    this.loop = workers.register({
      name: 'disk',
      everyMs: DISK_WATCH_EVERY_MS,
      inEveryRole: true,
      work: () => this.look(),
    });
  }

  private async look(): Promise<WorkOutcome> {
    await this.disks.read();
    for (const disk of this.disks.all) this.judge(disk);
    if (this.low.size > 0) this.thisProcess.note('disk_low', this.clock.now());
    else this.thisProcess.clear('disk_low');
    return 'idle';
  }

  /** A disk that cannot be read keeps its state. */
  private judge(disk: WatchedDisk): void {
    const { content, freeBytes, trend } = disk;
    if (freeBytes === null) return;
    const hoursLeft = trend.hoursLeft(freeBytes);
    const isLow = freeBytes < this.config.lowBytes || (hoursLeft !== null && hoursLeft < MIN_HOURS);
    if (isLow && !this.low.has(disk)) this.sayLow(content, freeBytes, hoursLeft);
    if (isLow) this.low.add(disk);
    else this.low.delete(disk);
  }

  private sayLow(content: WatchedDisk['content'], bytes: number, hoursLeft: number | null): void {
    const reason = bytes < this.config.lowBytes ? 'below_limit' : 'full_within_a_day';
    const duration = hoursLeft === null ? {} : { delay_ms: Math.round(hoursLeft * HOUR_MS) };
    this.log.event('disk.low', { kind: content, bytes, reason, ...duration }, 'warn');
  }
}
