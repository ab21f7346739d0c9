import { HOUR_MS } from '../platform/time.js';
import type { NewestRecord } from './records.reader.js';

/** The farthest a clock on a wall is ahead of UTC: sources with floating time write what theirs showed. */
const AHEAD_MS = 14 * HOUR_MS;

/** For each provider the time of its newest record. What lies in the future is a prediction and no sign of life. */
export function lastDataByProvider(newest: readonly NewestRecord[], now: number): Map<string, number> {
  const last = new Map<string, number>();
  for (const { provider, time } of newest) {
    if (time <= now + AHEAD_MS && time > (last.get(provider) ?? Number.NEGATIVE_INFINITY)) last.set(provider, time);
  }
  return last;
}
