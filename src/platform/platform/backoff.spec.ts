import fc from 'fast-check';
import { type BackoffPolicy, backoffDelay } from './backoff.js';

const policy: BackoffPolicy = { baseMs: 1_000, capMs: 60_000, factor: 2, jitter: 0.2 };
const noJitter = { ...policy, jitter: 0 };

describe('backoffDelay', () => {
  it('grows from the base by the factor up to the cap', () => {
    const delays = [1, 2, 3, 4, 5, 6, 7, 8].map((attempt) => backoffDelay(noJitter, attempt));
    expect(delays).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  });

  it('is reduced by at most the jitter', () => {
    expect(backoffDelay(policy, 1, () => 0)).toBe(1_000);
    expect(backoffDelay(policy, 1, () => 0.5)).toBe(900);
    expect(backoffDelay(policy, 1, () => 1)).toBe(800);
  });

  it('stays between zero and the cap for any attempt and random number', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -5, max: 100_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (attempt, chance) => {
          const delay = backoffDelay({ ...policy, jitter: 1 }, attempt, () => chance);
          return Number.isInteger(delay) && delay >= 0 && delay <= policy.capMs;
        },
      ),
    );
  });
});
