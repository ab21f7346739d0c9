import { byStart, subtract, type TimeRange } from '../../platform/platform/time.js';

/**
 * A completely pulled time range, and the start of the pull that confirmed it. Settled: it was pulled again late
 * enough to contain data that devices send late.
 */
export interface Covered extends TimeRange {
  readonly confirmedAt: number;
  readonly settled: boolean;
}

/** The coverage of a pull that started at `confirmedAt`: settled up to `latenessMs` before it, unsettled after. */
export function split({ start, end }: TimeRange, confirmedAt: number, latenessMs: number): Covered[] {
  const border = Math.min(Math.max(start, confirmedAt - latenessMs), end);
  return [
    { start, end: border, confirmedAt, settled: true },
    { start: border, end, confirmedAt, settled: false },
  ].filter((part) => part.start < part.end);
}

/**
 * The same knowledge in as few ranges as possible, by rising start; they do not overlap. Settled ones that overlap or
 * touch become one, with the oldest confirmation, so that it holds for all of it. Unsettled time keeps the latest
 * confirmation of each instant. Does not depend on the order in which ranges were learned.
 */
export function merge(ranges: readonly Covered[]): Covered[] {
  const settled = joined(ranges.filter((range) => range.settled));
  const fresh: Covered[] = [];
  const latestFirst = ranges.filter((range) => !range.settled).sort((a, b) => b.confirmedAt - a.confirmedAt);
  for (const range of latestFirst) {
    const parts = subtract(range, [...settled, ...fresh]);
    fresh.push(...parts.map((part) => ({ ...range, ...part })));
  }
  const instants = [...new Set(fresh.map(({ confirmedAt }) => confirmedAt))];
  const rounds = instants.map((at) => joined(fresh.filter(({ confirmedAt }) => confirmedAt === at)));
  return [...settled, ...rounds.flat()].sort((a, b) => a.start - b.start);
}

/** Overlapping and touching ranges of one kind as one, with the oldest confirmation. Empty ones vanish. */
function joined(ranges: readonly Covered[]): Covered[] {
  const whole: Covered[] = [];
  for (const range of byStart(ranges)) {
    const last = whole.at(-1);
    if (!last || last.end < range.start) whole.push(range);
    else {
      const confirmedAt = Math.min(last.confirmedAt, range.confirmedAt);
      whole[whole.length - 1] = { ...last, end: Math.max(last.end, range.end), confirmedAt };
    }
  }
  return whole;
}
