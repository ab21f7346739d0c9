import { HOUR_MS } from '../../platform/platform/time.js';

/** The rate is calculated over these hours. */
const HOURS = 6;
/** Fewer hours are not enough evidence: a migration or backup fills a disk quickly, but only once. */
const MIN_HOURS = 3;

/**
 * Free bytes of one disk, noted hourly in memory. The rate is the median of the hourly losses, so that an hour in which
 * a backup was made or deleted does not count. A new process has no evidence for the first three hours.
 */
export class DiskTrend {
  private readonly hourly: number[] = [];
  private notedAt = Number.NEGATIVE_INFINITY;

  /** `at` is monotonic time in milliseconds. May be called more often than hourly. */
  note(freeBytes: number, at: number): void {
    if (at - this.notedAt < HOUR_MS) return;
    this.hourly.push(freeBytes);
    if (this.hourly.length > HOURS + 1) this.hourly.shift();
    this.notedAt = at;
  }

  get hasHistory(): boolean {
    return this.hourly.length > MIN_HOURS;
  }

  /** Hours until the disk is full at this rate; null without evidence, or if it is not filling. */
  hoursLeft(freeBytes: number): number | null {
    const losses = this.hourly.slice(1).map((bytes, hour) => (this.hourly[hour] ?? bytes) - bytes);
    if (losses.length < MIN_HOURS) return null;
    const rate = median(losses);
    return rate > 0 ? freeBytes / rate : null;
  }
}

/** For an even number of values, the lower one of the middle two. */
function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor((numbers.length - 1) / 2)] ?? 0;
}
