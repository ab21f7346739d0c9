import { byStart, isAhead, subtract, type TimeRange } from '../../platform/platform/time.js';
import type { CoverageState } from './coverage.entity.js';

/** A completely pulled time range, and the start of the pull that confirmed it. */
export interface Covered extends TimeRange {
  readonly confirmedAt: number;
  readonly state: CoverageState;
}

/** A covered range and its stream; an empty provider means every source. */
export type StreamCovered = Covered & { readonly provider: string; readonly resource: string };

/** The coverage of a pull that started at `confirmedAt`: settled up to `latenessMs` before it, fresh after. */
export function split({ start, end }: TimeRange, confirmedAt: number, latenessMs: number): Covered[] {
  const border = Math.min(Math.max(start, confirmedAt - latenessMs), end);
  const parts: Covered[] = [
    { start, end: border, confirmedAt, state: 'settled' },
    { start: border, end, confirmedAt, state: 'fresh' },
  ];
  return parts.filter((part) => part.start < part.end);
}

/** The coverage that a range shows at `now`. One confirmed in the future is from before the clock was set back. */
export function until(range: Covered, now: number, latenessMs: number): Covered[] {
  if (!isAhead(range.confirmedAt, now)) return [range];
  const parts = split({ start: range.start, end: Math.min(range.end, now) }, now, latenessMs);
  return parts.map((part) => (part.state === 'settled' ? { ...part, state: range.state } : part));
}

/**
 * Merges ranges into as few as possible, without overlap, by start. Proven ranges that overlap or touch become one with
 * the oldest confirmation, which is valid for all of it, and so do settled ranges outside of proven ones. Each instant
 * of a fresh range keeps its latest confirmation. The order of the input does not matter.
 */
export function merge(ranges: readonly Covered[]): Covered[] {
  const of = (state: CoverageState): Covered[] => ranges.filter((range) => range.state === state);
  const proven = joined(of('proven'));
  const settled = joined(of('settled').flatMap((range) => outside(range, proven)));
  const fresh: Covered[] = [];
  const latestFirst = of('fresh').sort((a, b) => b.confirmedAt - a.confirmedAt);
  for (const range of latestFirst) fresh.push(...outside(range, [...proven, ...settled, ...fresh]));
  const instants = [...new Set(fresh.map(({ confirmedAt }) => confirmedAt))];
  const rounds = instants.map((at) => joined(fresh.filter(({ confirmedAt }) => confirmedAt === at)));
  return [...proven, ...settled, ...rounds.flat()].sort((a, b) => a.start - b.start);
}

/**
 * The settled range directly before a range that a look has just proven; null if there is none. It was pulled while the
 * source was silent, so it has to be pulled again.
 */
export function unprovenBefore(known: readonly Covered[], found: TimeRange): TimeRange | null {
  const before = known.find(({ state, end }) => state === 'settled' && end === found.start);
  return before ? { start: before.start, end: before.end } : null;
}

function outside(range: Covered, others: readonly TimeRange[]): Covered[] {
  return subtract(range, others).map((part) => ({ ...range, ...part }));
}

/** Joins overlapping and touching ranges of one state, with the oldest confirmation. Drops empty ones. */
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
