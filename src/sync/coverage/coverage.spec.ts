import fc from 'fast-check';
import { type Covered, covers, merge, subtract } from './coverage.js';

const stretch = fc
  .record({ start: fc.nat(60), length: fc.nat(12), confirmedAt: fc.nat(9) })
  .map(({ start, length, confirmedAt }): Covered => ({ start, end: start + length, confirmedAt }));
const stretches = fc.array(stretch, { maxLength: 12 });
const window = fc
  .record({ start: fc.nat(60), length: fc.nat(20) })
  .map(({ start, length }) => ({ start, end: start + length }));

/** The unit steps [n, n + 1) a set of stretches holds. */
function steps(found: readonly { start: number; end: number }[]): number[] {
  const held = new Set(found.flatMap(({ start, end }) => Array.from({ length: end - start }, (_, n) => start + n)));
  return [...held].sort((a, b) => a - b);
}

describe('coverage', () => {
  it('merges what overlaps and what touches, and keeps the older confirmation', () => {
    const merged = merge([
      { start: 10, end: 20, confirmedAt: 7 },
      { start: 20, end: 25, confirmedAt: 5 },
      { start: 30, end: 31, confirmedAt: 9 },
    ]);
    expect(merged).toEqual([
      { start: 10, end: 25, confirmedAt: 5 },
      { start: 30, end: 31, confirmedAt: 9 },
    ]);
  });

  it('holds the same time after merging, in stretches that stand apart', () => {
    fc.assert(
      fc.property(stretches, (given) => {
        const merged = merge(given);
        expect(steps(merged)).toEqual(steps(given));
        for (const [index, next] of merged.entries()) {
          const before = merged[index - 1];
          if (before) expect(before.end).toBeLessThan(next.start);
        }
      }),
    );
  });

  it('does not depend on the order in which stretches arrive', () => {
    fc.assert(
      fc.property(stretches, (given) => {
        const oneByOne = given.reduceRight<Covered[]>((held, next) => merge([...held, next]), []);
        expect(oneByOne).toEqual(merge(given));
      }),
    );
  });

  it('never claims a confirmation younger than that of any part', () => {
    fc.assert(
      fc.property(stretches, (given) => {
        for (const whole of merge(given)) {
          const within = given.filter(
            (part) => part.start < part.end && part.start >= whole.start && part.end <= whole.end,
          );
          expect(whole.confirmedAt).toBe(Math.min(...within.map((part) => part.confirmedAt)));
        }
      }),
    );
  });

  it('leaves as gaps exactly what is not covered', () => {
    fc.assert(
      fc.property(stretches, window, (given, asked) => {
        const covered = new Set(steps(given));
        expect(steps(subtract(asked, given))).toEqual(steps([asked]).filter((step) => !covered.has(step)));
        expect(covers(given, asked)).toBe(steps([asked]).every((step) => covered.has(step)));
      }),
    );
  });
});
