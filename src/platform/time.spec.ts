import fc from 'fast-check';
import { nextSlot, parseInstant, toIso } from './time.js';

describe('times', () => {
  it.each([
    ['2026-01-31T10:20:30.456Z', '2026-01-31T10:20:30.456Z'],
    ['2026-01-31t10:20:30z', '2026-01-31T10:20:30.000Z'],
    ['2026-01-31T10:20:30+00:00', '2026-01-31T10:20:30.000Z'],
    ['2026-01-31T10:20:30.4567899+02:30', '2026-01-31T07:50:30.456Z'],
    ['2026-01-31T23:30:00-01:00', '2026-02-01T00:30:00.000Z'],
    ['2026-01-31', '2026-01-31T00:00:00.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['0001-01-01', '0001-01-01T00:00:00.000Z'],
  ])('%s is %s', (text, expected) => {
    const ms = parseInstant(text);
    expect(ms).not.toBeNull();
    expect(toIso(ms ?? 0)).toBe(expected);
  });

  it.each([
    '',
    '2026-02-30',
    '2026-02-30T00:00:00Z',
    '2026-13-01',
    '2026-01-31T24:00:00Z',
    '2026-01-31T23:59:60Z',
    '2026-01-31T10:20:30',
    '2026-01-31 10:20:30Z',
    '2026-01-31T10:20Z',
    '2026-01-31T10:20:30+24:00',
    '2026-01-31T10:20:30+0200',
    '2026-01-31T10:20:30Z\n',
    '26-01-31',
    '1700000000',
    '2026-01-31T10:20:30.Z',
  ])('%j is no instant', (text) => {
    expect(parseInstant(text)).toBeNull();
  });

  it('reads back what it writes', () => {
    const ms = fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 });
    fc.assert(fc.property(ms, (instant) => parseInstant(toIso(instant)) === instant));
  });
});

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
