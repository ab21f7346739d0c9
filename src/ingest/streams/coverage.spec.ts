import fc from 'fast-check';
import { covers, subtract } from '../../platform/platform/time.js';
import { type CoverageState, coverageStates } from './coverage.entity.js';
import { type Covered, merge, split, unprovenBefore } from './coverage.js';

const stretch = fc
  .record({ start: fc.nat(60), length: fc.nat(12), confirmedAt: fc.nat(9), state: fc.constantFrom(...coverageStates) })
  .map(({ start, length, ...rest }): Covered => ({ start, end: start + length, ...rest }));
const stretches = fc.array(stretch, { maxLength: 12 });
const window = fc
  .record({ start: fc.nat(60), length: fc.nat(20) })
  .map(({ start, length }) => ({ start, end: start + length }));

/** Unit steps [n, n + 1) inside the ranges. */
function steps(found: readonly { start: number; end: number }[]): number[] {
  const held = new Set(found.flatMap(({ start, end }) => Array.from({ length: end - start }, (_, n) => start + n)));
  return [...held].sort((a, b) => a - b);
}

/** Ranges of this state or a later one. */
const atLeast = (found: readonly Covered[], least: CoverageState): Covered[] =>
  found.filter(({ state }) => coverageStates.indexOf(state) >= coverageStates.indexOf(least));
/** Ranges without the confirmation of settled ones, which may come from a part that a proof has replaced. */
const known = (found: readonly Covered[]): object[] =>
  found.map((range) => (range.state === 'settled' ? { ...range, confirmedAt: null } : range));
const holds = ({ start, end }: Covered, step: number): boolean => start <= step && step < end;

describe('coverage', () => {
  it('merges settled ranges that overlap or touch, and keeps the oldest confirmation', () => {
    const merged = merge([
      { start: 10, end: 20, confirmedAt: 7, state: 'settled' },
      { start: 20, end: 25, confirmedAt: 5, state: 'settled' },
      { start: 30, end: 31, confirmedAt: 9, state: 'settled' },
    ]);
    expect(merged).toEqual([
      { start: 10, end: 25, confirmedAt: 5, state: 'settled' },
      { start: 30, end: 31, confirmedAt: 9, state: 'settled' },
    ]);
  });

  it('keeps the latest confirmation of fresh ranges, and drops fresh ranges covered by settled ones', () => {
    const merged = merge([
      { start: 10, end: 20, confirmedAt: 5, state: 'fresh' },
      { start: 15, end: 30, confirmedAt: 7, state: 'fresh' },
      { start: 28, end: 40, confirmedAt: 9, state: 'settled' },
    ]);
    expect(merged).toEqual([
      { start: 10, end: 15, confirmedAt: 5, state: 'fresh' },
      { start: 15, end: 28, confirmedAt: 7, state: 'fresh' },
      { start: 28, end: 40, confirmedAt: 9, state: 'settled' },
    ]);
  });

  it('must be pulled again if it is settled and directly before a new proof', () => {
    const known = merge([
      { start: 0, end: 10, confirmedAt: 1, state: 'proven' },
      { start: 10, end: 30, confirmedAt: 2, state: 'settled' },
      { start: 30, end: 40, confirmedAt: 3, state: 'proven' },
    ]);
    expect(unprovenBefore(known, { start: 30, end: 40 })).toEqual({ start: 10, end: 30 });
    expect(unprovenBefore(known, { start: 35, end: 40 })).toBeNull();
    expect(unprovenBefore(known, { start: 0, end: 10 })).toBeNull();
  });

  it('of regular pulls stays two ranges: the settled past and the last look-back', () => {
    let held: Covered[] = [];
    for (let now = 100; now <= 2_000; now++) {
      held = merge([...held, ...split({ start: now === 100 ? 0 : now - 49, end: now }, now, 48)]);
    }
    expect(held).toEqual([
      { start: 0, end: 1_952, confirmedAt: 100, state: 'settled' },
      { start: 1_952, end: 2_000, confirmedAt: 2_000, state: 'fresh' },
    ]);
  });

  it.each([
    ['all of it long ago', { start: 0, end: 10 }, 60, [{ start: 0, end: 10, confirmedAt: 60, state: 'settled' }]],
    ['all of it just now', { start: 20, end: 60 }, 60, [{ start: 20, end: 60, confirmedAt: 60, state: 'fresh' }]],
    ['nothing', { start: 5, end: 5 }, 60, []],
  ])('a pull of %s is one range or none', (_, range, confirmedAt, parts) => {
    expect(split(range, confirmedAt, 50)).toEqual(parts);
  });

  it('separates proven ranges from settled ones', () => {
    const merged = merge([
      { start: 10, end: 40, confirmedAt: 7, state: 'settled' },
      { start: 20, end: 25, confirmedAt: 9, state: 'proven' },
      { start: 25, end: 30, confirmedAt: 8, state: 'proven' },
    ]);
    expect(merged).toEqual([
      { start: 10, end: 20, confirmedAt: 7, state: 'settled' },
      { start: 20, end: 30, confirmedAt: 8, state: 'proven' },
      { start: 30, end: 40, confirmedAt: 7, state: 'settled' },
    ]);
  });

  it('covers the same time after merging, with the same parts settled and proven', () => {
    fc.assert(
      fc.property(stretches, (given) => {
        const merged = merge(given);
        expect(steps(merged)).toEqual(steps(given));
        for (const state of coverageStates) {
          expect(steps(atLeast(merged, state))).toEqual(steps(atLeast(given, state)));
        }
        for (const [index, next] of merged.entries()) {
          expect(merged[index - 1]?.end ?? 0).toBeLessThanOrEqual(next.start);
        }
      }),
    );
  });

  it('does not depend on the order in which ranges are added', () => {
    fc.assert(
      fc.property(stretches, (given) => {
        const oneByOne = given.reduceRight<Covered[]>((held, next) => merge([...held, next]), []);
        expect(known(oneByOne)).toEqual(known(merge(given)));
      }),
    );
  });

  it('has only confirmations of its parts, for settled time never newer than the oldest', () => {
    fc.assert(
      fc.property(stretches, (given) => {
        for (const whole of merge(given)) {
          for (const step of steps([whole])) {
            const same = given.filter((part) => part.state === whole.state && holds(part, step));
            const confirmations = same.map(({ confirmedAt }) => confirmedAt);
            if (whole.state !== 'fresh') expect(whole.confirmedAt).toBeLessThanOrEqual(Math.min(...confirmations));
            else expect(whole.confirmedAt).toBe(Math.max(...confirmations));
          }
        }
      }),
    );
  });

  it('has gaps exactly where nothing is covered', () => {
    fc.assert(
      fc.property(stretches, window, (given, asked) => {
        const covered = new Set(steps(given));
        expect(steps(subtract(asked, given))).toEqual(steps([asked]).filter((step) => !covered.has(step)));
        expect(covers(given, asked)).toBe(steps([asked]).every((step) => covered.has(step)));
      }),
    );
  });
});
