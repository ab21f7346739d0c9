import { hasNoWindow, type Resource } from '../catalogue/catalogue.js';

/** A stretch of time in epoch milliseconds. */
export interface Window {
  readonly start: number;
  readonly end: number;
}

const SECOND = 1_000;
const HOUR = 3_600_000;
const DAY = 86_400_000;

/** Whether upstream includes the ends of a window is not stated (supplement 6.1), so windows overlap by this much. */
const OVERLAP_MS = SECOND;

/** Summaries come all at once (supplement 7.1): a long window is asked for in parts of this length. */
const SUMMARY_PART_MS = 30 * DAY;

export interface ScheduleRule {
  readonly lookbackHours: number;
  readonly backfillDays: number;
}

/** What a stream is asked for at `now`: from its high-water mark less the look-back, or the first window. */
export function regularWindow(coveredUntil: number | null, now: number, rule: ScheduleRule): Window {
  const start = coveredUntil === null ? now - rule.backfillDays * DAY : coveredUntil - rule.lookbackHours * HOUR;
  return { start: Math.min(start, now), end: now };
}

/** The window with both ends surely inside. */
export function padded({ start, end }: Window): Window {
  return { start: start - OVERLAP_MS, end: end + OVERLAP_MS };
}

/** The whole hours around a stretch, so that requests for neighbouring samples become one. */
export function wholeHours(stretch: Window): Window {
  const { start, end } = padded(stretch);
  return { start: Math.floor(start / HOUR) * HOUR, end: Math.ceil(end / HOUR) * HOUR };
}

/** How many parts a summary window is asked for in. */
export function summaryParts({ start, end }: Window): number {
  return Math.max(1, Math.ceil((end - start) / SUMMARY_PART_MS));
}

/**
 * The part of a summary window that a cursor of ours stands for, and the cursor of the part after it. Ours is the end
 * of the part before, in milliseconds; null is the first part.
 */
export function summaryPart(
  resource: Resource,
  window: Window,
  cursor: string | null,
): Window & { next: string | null } {
  if (hasNoWindow(resource)) return { ...window, next: null };
  const from = cursor === null ? window.start : Number(cursor);
  const end = Math.min(from + SUMMARY_PART_MS, window.end);
  const next = end < window.end ? String(end) : null;
  return { start: cursor === null ? from : from - OVERLAP_MS, end, next };
}
