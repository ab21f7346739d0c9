import { DAY_MS, HOUR_MS, type TimeRange } from '../../platform/platform/time.js';

export interface ScheduleRule {
  readonly lookbackHours: number;
  readonly backfillDays: number;
}

/** The window of a stream at `now`: from its high-water mark minus the look-back, or the first window. */
export function scheduledWindow(coveredUntil: number | null, now: number, rule: ScheduleRule): TimeRange {
  const start = coveredUntil === null ? now - rule.backfillDays * DAY_MS : coveredUntil - rule.lookbackHours * HOUR_MS;
  return { start: Math.min(start, now), end: now };
}
