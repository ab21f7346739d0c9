import fc from 'fast-check';
import { nextSlot, parseHttpDate, parseInstant, parseUtcInstant, toIso } from './time.js';

describe('times', () => {
  it.each([
    ['2026-01-31T10:20:30.456Z', '2026-01-31T10:20:30.456Z'],
    ['2026-01-31t10:20:30z', '2026-01-31T10:20:30.000Z'],
    ['2026-01-31T10:20:30+00:00', '2026-01-31T10:20:30.000Z'],
    ['2026-01-31T10:20:30.4567899+02:30', '2026-01-31T07:50:30.456Z'],
    ['2026-01-31T23:30:00-01:00', '2026-02-01T00:30:00.000Z'],
    ['2016-12-31T23:59:60Z', '2016-12-31T23:59:59.999Z'],
    ['2016-12-31T23:59:60.75Z', '2016-12-31T23:59:59.999Z'],
    ['2017-01-01T05:29:60+05:30', '2016-12-31T23:59:59.999Z'],
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
    '2026-01-31T23:58:60Z',
    '2026-01-31T12:59:60Z',
    '2026-01-31T23:59:60+01:00',
    '2026-01-31T23:59:61Z',
    '2026-02-30T23:59:60Z',
    '2026-01-31T10:20:30',
    '2026-01-31 10:20:30Z',
    '2026-01-31T10:20Z',
    '2026-01-31T10:20:30+24:00',
    '2026-01-31T10:20:30+0200',
    '2026-01-31T10:20:30Z\n',
    '26-01-31',
    '1700000000',
    '2026-01-31T10:20:30.Z',
    '2026-01-31Z',
    '+275760-09-13T00:00:00Z',
    '2026-02-29T10:20:30+01:00',
    '0000-00-00',
  ])('%j is not an instant', (text) => {
    expect(parseInstant(text)).toBeNull();
  });

  it.each([
    ['2026-01-31T10:20:30.456+02:00', '2026-01-31T08:20:30.456Z'],
    ['2026-01-31 10:20:30-02:00', '2026-01-31T12:20:30.000Z'],
    ['2016-12-31T15:59:60-08:00', '2016-12-31T23:59:59.999Z'],
    ['2016-12-31T23:59:60', '2016-12-31T23:59:59.999Z'],
    ['2026-01-31T10:20:30', '2026-01-31T10:20:30.000Z'],
    ['2026-01-31 10:20:30.5', '2026-01-31T10:20:30.500Z'],
    ['2026-01-31', '2026-01-31T00:00:00.000Z'],
  ])('upstream means %s as %s, wherever this runs [timeseries#times]', (text, expected) => {
    expect(toIso(parseUtcInstant(text) ?? 0)).toBe(expected);
  });

  it.each(['sleep 12', '2026-02-31', '2026-02-31T00:00:00Z', '12', 'Jan 3 2026', '2026-01-31T24:00:00', 5, null, {}])(
    'upstream means no time with %j [timeseries#times]',
    (value) => {
      expect(parseUtcInstant(value)).toBeNull();
    },
  );

  it('reads the same from the common form of a time and from others', () => {
    const ms = fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 });
    const more = fc.stringMatching(/^\d{0,6}$/);
    fc.assert(
      fc.property(ms, more, (instant, digits) => {
        const plain = toIso(instant).replace('Z', `${digits}+00:00`);
        expect([parseUtcInstant(plain), parseUtcInstant(plain.replace('T', 't'))]).toEqual([instant, instant]);
      }),
    );
  });

  it('a text is a time only in the exact form', () => {
    const digits = fc.stringMatching(/^\d{4}-\d\d-\d\d([T ]\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)?)?$/);
    fc.assert(
      fc.property(fc.oneof(fc.string(), digits), (text) => {
        const ms = parseUtcInstant(text);
        if (ms === null) return;
        const offset = /[+-]\d\d:\d\d$/.exec(text.slice(10))?.[0] ?? '+00:00';
        const minutes = Number(`${offset[0]}1`) * (Number(offset.slice(1, 3)) * 60 + Number(offset.slice(4)));
        const local = toIso(ms + minutes * 60_000);
        expect(local.slice(0, 10)).toBe(text.slice(0, 10));
        expect(text.length === 10 ? '00:00:00' : text.slice(11, 19)).toBe(local.slice(11, 19));
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['Sun, 06 Nov 1994 08:49:37 GMT', 784_111_777_000],
    ['Sun, 31 Feb 2026 08:49:37 GMT', null],
    ['Sun, 06 Nov 1994 08:49:37', null],
    ['sleep 12', null],
    ['2026-01-31', null],
  ])('%j in a header is %j', (text, expected) => {
    expect(parseHttpDate(text)).toBe(expected);
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

  it('is exactly one interval after the previous one if that was kept', () => {
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
