import type { TimeRange } from '../platform/time.js';

/**
 * A stretch of time known to have been pulled whole, and when the pull that confirmed it began. Settled: it was pulled
 * again so long after that what devices send late is in it.
 */
export interface Covered extends TimeRange {
  readonly confirmedAt: number;
  readonly settled: boolean;
}

/** What a pull that began at `confirmedAt` covers: settled up to `latenessMs` before it, and the rest. */
export function split({ start, end }: TimeRange, confirmedAt: number, latenessMs: number): Covered[] {
  const border = Math.min(Math.max(start, confirmedAt - latenessMs), end);
  return [
    { start, end: border, confirmedAt, settled: true },
    { start: border, end, confirmedAt, settled: false },
  ].filter((part) => part.start < part.end);
}

/**
 * The same knowledge in as few stretches as possible, by rising start; they do not overlap. Settled ones that overlap
 * or touch become one, with the oldest confirmation, so that it holds for all of it. What is not settled keeps the
 * latest confirmation of each instant. Does not depend on the order in which stretches were learned.
 */
export function merge(stretches: readonly Covered[]): Covered[] {
  const settled = joined(stretches.filter((stretch) => stretch.settled));
  const fresh: Covered[] = [];
  const latestFirst = stretches.filter((stretch) => !stretch.settled).sort((a, b) => b.confirmedAt - a.confirmedAt);
  for (const stretch of latestFirst) {
    const parts = subtract(stretch, [...settled, ...fresh]);
    fresh.push(...parts.map((part) => ({ ...stretch, ...part })));
  }
  const instants = [...new Set(fresh.map(({ confirmedAt }) => confirmedAt))];
  const rounds = instants.map((at) => joined(fresh.filter(({ confirmedAt }) => confirmedAt === at)));
  return [...settled, ...rounds.flat()].sort((a, b) => a.start - b.start);
}

/** Overlapping and touching stretches of one kind as one, with the oldest confirmation. Empty ones vanish. */
function joined(stretches: readonly Covered[]): Covered[] {
  const whole: Covered[] = [];
  for (const stretch of byStart(stretches)) {
    const last = whole.at(-1);
    if (!last || last.end < stretch.start) whole.push(stretch);
    else {
      const confirmedAt = Math.min(last.confirmedAt, stretch.confirmedAt);
      whole[whole.length - 1] = { ...last, end: Math.max(last.end, stretch.end), confirmedAt };
    }
  }
  return whole;
}

function byStart<R extends TimeRange>(ranges: readonly R[]): R[] {
  return ranges.filter(({ start, end }) => start < end).sort((a, b) => a.start - b.start);
}

/** The parts of `window` that no range covers, by rising start. */
export function subtract(window: TimeRange, ranges: readonly TimeRange[]): TimeRange[] {
  const gaps: TimeRange[] = [];
  let from = window.start;
  for (const { start, end } of byStart(ranges)) {
    if (end <= from) continue;
    if (start >= window.end) break;
    if (start > from) gaps.push({ start: from, end: start });
    from = end;
  }
  if (from < window.end) gaps.push({ start: from, end: window.end });
  return gaps;
}

/** True when every instant of the window is covered. */
export function covers(ranges: readonly TimeRange[], window: TimeRange): boolean {
  return subtract(window, ranges).length === 0;
}
