import fc from 'fast-check';
import { nextSlot } from './slots.js';

const hour = 3_600_000;
const now = Date.UTC(2026, 10, 20, 12);

describe('the next slot', () => {
  it('is between half an interval and one and a half away', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1_000, max: hour }), fc.nat(hour), (key, interval, later) => {
        const delay = nextSlot(key, interval, now + later) - (now + later);
        expect(delay).toBeGreaterThan(interval / 2);
        expect(delay).toBeLessThanOrEqual(interval * 1.5);
      }),
    );
  });

  it('follows the one before by exactly one interval when it was kept', () => {
    fc.assert(
      fc.property(fc.string(), (key) => {
        const slot = nextSlot(key, hour, now);
        expect(nextSlot(key, hour, slot)).toBe(slot + hour);
        expect(nextSlot(key, hour, slot + hour / 3)).toBe(slot + hour);
      }),
    );
  });

  it('spreads keys evenly over the interval', () => {
    const parts = new Array<number>(10).fill(0);
    for (let key = 0; key < 5_000; key++) {
      const part = Math.floor((nextSlot(`stream ${key}`, hour, now) % hour) / (hour / 10));
      parts[part] = (parts[part] ?? 0) + 1;
    }
    for (const count of parts) expect(Math.abs(count - 500)).toBeLessThan(125);
  });
});
