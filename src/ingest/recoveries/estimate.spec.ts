import type { Throughput } from '../pulls/pull-tasks.reader.js';
import { type Extent, estimate } from './estimate.js';

const day = 86_400_000;
const budget = { requestsPerSecond: 20, maxConcurrency: 8 };
const extent = (given: Partial<Extent> & { days?: number } = {}): Extent => ({
  window: { start: 0, end: (given.days ?? 2) * day },
  resources: ['mindfulness_minutes'],
  accounts: 100,
  pulledAccounts: 80,
  ...given,
});
const pace = (given: Partial<Throughput> = {}): Throughput => {
  const seen = { resource: 'mindfulness_minutes', pulls: 10, pages: 40, windowMs: 10 * 30 * day };
  return { ...seen, timedPages: 0, timedMs: 0, ...given };
};
const looksAndOrders = 100 * 2 + 1;

describe('the forecast of a recovery', () => {
  it('assumes one page per pull if nothing is known, two calls per poll, and one for the orders', () => {
    expect(estimate(extent(), [], budget)).toEqual({ pulls: 80, calls: 80 + looksAndOrders, seconds: 15 });
  });

  it('adds the further pages that recent pulls of that length had', () => {
    expect(estimate(extent({ days: 30 }), [pace()], budget).calls).toBe(80 * 4 + looksAndOrders);
    expect(estimate(extent({ days: 2 }), [pace()], budget).calls).toBe(80 + looksAndOrders);
    expect(estimate(extent({ days: 30 }), [pace({ resource: 'blood_pressure' })], budget).calls).toBe(
      80 + looksAndOrders,
    );
  });

  it('counts summaries in parts of 30 days, and the profile once', () => {
    const many = estimate(extent({ days: 61, resources: ['sleep', 'profile'] }), [], budget);
    expect(many).toMatchObject({ pulls: 160, calls: 80 * (3 + 1) + looksAndOrders });
  });

  it('without accounts is one call for the orders', () => {
    expect(estimate(extent({ accounts: 0, pulledAccounts: 0 }), [], budget)).toEqual({
      pulls: 0,
      calls: 1,
      seconds: 1,
    });
  });

  it('is slower than the rate limit if calls take so long that all slots are in use', () => {
    const slow = pace({ pages: 10, windowMs: 0, timedPages: 10, timedMs: 10_000 });
    expect(estimate(extent(), [slow], budget).seconds).toBe(Math.ceil((80 + looksAndOrders) / 6));
    const quick = pace({ pages: 10, windowMs: 0, timedPages: 10, timedMs: 1_000 });
    expect(estimate(extent(), [quick], budget).seconds).toBe(15);
    expect(estimate(extent(), [slow], { ...budget, maxConcurrency: 1 }).seconds).toBe(80 + looksAndOrders);
  });
});
