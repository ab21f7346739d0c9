import fc from 'fast-check';
import { FakeClock } from '../../../test/support/fake-clock.js';
import { Rate } from './rate.js';

describe('the quota of a caller', () => {
  it('is available immediately, is refilled evenly, and belongs to that caller alone', () => {
    const clock = new FakeClock(5_000);
    const rate = new Rate(clock, 3);
    expect([1, 2, 3].map(() => rate.take('a'))).toEqual([
      { remaining: 2, resetSeconds: 20, retryAfterSeconds: null },
      { remaining: 1, resetSeconds: 40, retryAfterSeconds: null },
      { remaining: 0, resetSeconds: 60, retryAfterSeconds: null },
    ]);
    expect(rate.take('a')).toEqual({ remaining: 0, resetSeconds: 60, retryAfterSeconds: 20 });
    expect(rate.take('b').remaining).toBe(2);
    clock.advance(19_999);
    expect(rate.take('a').retryAfterSeconds).toBe(1);
    clock.advance(1);
    expect(rate.take('a')).toMatchObject({ remaining: 0, retryAfterSeconds: null });
    clock.advance(1_000_000);
    expect(rate.take('a').remaining).toBe(2);
  });

  it('never admits more than the quota and its refill, and reports when it will admit again', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), fc.array(fc.nat(4_000), { maxLength: 300 }), (quota, waits) => {
        const clock = new FakeClock(5_000);
        const rate = new Rate(clock, quota);
        const began = clock.monotonic();
        let through = 0;
        for (const wait of waits) {
          clock.advance(wait);
          const { retryAfterSeconds } = rate.take('a');
          if (retryAfterSeconds === null) through += 1;
          expect(through).toBeLessThanOrEqual(quota + ((clock.monotonic() - began) * quota) / 60_000 + 1e-3);
          if (retryAfterSeconds === null) continue;
          clock.advance(retryAfterSeconds * 1_000);
          expect(rate.take('a').retryAfterSeconds).toBeNull();
          through += 1;
        }
      }),
      { numRuns: 50 },
    );
  });
});
