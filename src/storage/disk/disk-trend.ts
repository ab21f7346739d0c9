import { HOUR_MS } from '../../platform/platform/time.js';

/** The rate is that of these hours. */
const HOURS = 6;
/** Fewer hours are no evidence: a migration or a backup fills a disk quickly, but only once. */
const FEWEST_HOURS = 3;

/**
 * The free bytes of one disk, noted once an hour in memory. The rate is the median of the hourly losses, so that one
 * hour in which a backup was made or deleted does not count. A new process has no evidence for the first three hours.
 */
export class DiskTrend {
  private readonly hourly: number[] = [];
  private notedAt = Number.NEGATIVE_INFINITY;

  /** `at` in milliseconds of the monotonic clock; may be called more often than hourly. */
  note(freeBytes: number, at: number): void {
    if (at - this.notedAt < HOUR_MS) return;
    this.hourly.push(freeBytes);
    if (this.hourly.length > HOURS + 1) this.hourly.shift();
    this.notedAt = at;
  }

  /** Hours until no byte is free at this rate; null without evidence, or if the disk does not fill. */
  hoursLeft(freeBytes: number): number | null {
    const losses = this.hourly.slice(1).map((bytes, hour) => (this.hourly[hour] ?? bytes) - bytes);
    if (losses.length < FEWEST_HOURS) return null;
    const rate = median(losses);
    return rate > 0 ? freeBytes / rate : null;
  }
}

/** The lower of the two in the middle of an even number. */
function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor((numbers.length - 1) / 2)] ?? 0;
}
