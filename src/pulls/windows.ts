import { hasNoWindow, type Resource } from '../catalogue/catalogue.js';
import { DAY_MS, HOUR_MS, type TimeRange } from '../platform/time.js';

/** Whether upstream includes the ends of a window is not stated (supplement 6.1), so windows overlap by this much. */
const OVERLAP_MS = 1_000;

/** Summaries come all at once (supplement 7.1): a long window is asked for in parts of this length. */
const SUMMARY_PART_MS = 30 * DAY_MS;

/** The window with both ends surely inside. */
export function padded({ start, end }: TimeRange): TimeRange {
  return { start: start - OVERLAP_MS, end: end + OVERLAP_MS };
}

/** The whole hours around a range, so that requests for neighbouring samples become one. */
export function wholeHours(range: TimeRange): TimeRange {
  const { start, end } = padded(range);
  return { start: Math.floor(start / HOUR_MS) * HOUR_MS, end: Math.ceil(end / HOUR_MS) * HOUR_MS };
}

/** How many parts a summary window is asked for in. */
export function summaryParts({ start, end }: TimeRange): number {
  return Math.max(1, Math.ceil((end - start) / SUMMARY_PART_MS));
}

/**
 * The part of a summary window that a cursor of ours stands for, and the cursor of the part after it. Ours is the end
 * of the part before, in milliseconds; null is the first part.
 */
export function summaryPart(
  resource: Resource,
  window: TimeRange,
  cursor: string | null,
): TimeRange & { next: string | null } {
  if (hasNoWindow(resource)) return { ...window, next: null };
  const from = cursor === null ? window.start : Number(cursor);
  const end = Math.min(from + SUMMARY_PART_MS, window.end);
  const next = end < window.end ? String(end) : null;
  return { start: cursor === null ? from : from - OVERLAP_MS, end, next };
}
