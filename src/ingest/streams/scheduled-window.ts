import { DAY_MS, HOUR_MS, type TimeRange } from '../../platform/platform/time.js';

export interface ScheduleRule {
  readonly lookbackHours: number;
  readonly backfillDays: number;
}

/** The window of a stream at `now`: from its high-water mark minus the look-back, or the first window. */
export function scheduledWindow(coveredUntil: number | null, now: number, rule: ScheduleRule): TimeRange {
  if (coveredUntil === null) return { start: now - rule.backfillDays * DAY_MS, end: now };
  // A mark ahead of now is from before the clock was set back.
  return { start: Math.min(coveredUntil, now) - rule.lookbackHours * HOUR_MS, end: now };
}
