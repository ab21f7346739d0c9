import { byStart, isAhead, subtract, type TimeRange } from '../../platform/platform/time.js';
import type { CoverageState } from './coverage.entity.js';

/** A completely pulled time range, and the start of the pull that confirmed it. */
export interface Covered extends TimeRange {
  readonly confirmedAt: number;
  readonly state: CoverageState;
}

/** The coverage of a pull that started at `confirmedAt`: settled up to `latenessMs` before it, fresh after. */
export function split({ start, end }: TimeRange, confirmedAt: number, latenessMs: number): Covered[] {
  const border = Math.min(Math.max(start, confirmedAt - latenessMs), end);
  const parts: Covered[] = [
    { start, end: border, confirmedAt, state: 'settled' },
    { start: border, end, confirmedAt, state: 'fresh' },
  ];
  return parts.filter((part) => part.start < part.end);
}

/** A range as far as it is known at `now`: one that is dated ahead was confirmed before the clock was set back. */
export function until(range: Covered, now: number, latenessMs: number): Covered[] {
  if (!isAhead(range.confirmedAt, now)) return [range];
  const parts = split({ start: range.start, end: Math.min(range.end, now) }, now, latenessMs);
  return parts.map((part) => (part.state === 'settled' ? { ...part, state: range.state } : part));
}

/**
 * The same knowledge in as few ranges as possible, by rising start; they do not overlap. Proven ones that overlap or
 * touch become one, with the oldest confirmation, so that it holds for all of it; so do settled ones outside them.
 * Fresh time keeps the latest confirmation of each instant. Ranges and states do not depend on the order in which
 * they were learned.
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
 * The settled time directly before a range that a look has just proven; null if there is none. It was pulled while the
 * source was silent, so it is to be pulled again.
 */
export function unprovenBefore(known: readonly Covered[], found: TimeRange): TimeRange | null {
  const before = known.find(({ state, end }) => state === 'settled' && end === found.start);
  return before ? { start: before.start, end: before.end } : null;
}

function outside(range: Covered, others: readonly TimeRange[]): Covered[] {
  return subtract(range, others).map((part) => ({ ...range, ...part }));
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
