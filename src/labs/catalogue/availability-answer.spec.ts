import type { WireSlot } from '../../upstream/client/wire-labs.js';
import { MAX_AVAILABILITY_AGE_MS, MAX_NO_SLOTS_AGE_MS } from '../keys/tuning.js';
import { availabilityValidUntil, exactTime, toAvailabilityDto } from './availability-answer.js';

const now = new Date('2026-11-20T12:00:00.000Z').getTime();

function slot(changes: Partial<WireSlot> = {}): WireSlot {
  return {
    booking_key: 'key',
    start: '2026-11-21T13:00:00+00:00',
    end: '2026-11-21T13:15:00+00:00',
    expires_at: '2026-11-20T12:15:00+00:00',
    price: 0,
    is_priority: false,
    num_appointments_available: 1,
    ...changes,
  };
}

function answer(...slots: WireSlot[]) {
  return toAvailabilityDto({ slots: [{ location: null, date: '2026-11-21', slots }], timezone: null }, now);
}

const bookable = (changes: Partial<WireSlot>) => answer(slot(changes)).slots[0]?.slots[0]?.bookable;
const validFor = (...slots: WireSlot[]) => availabilityValidUntil(answer(...slots), now) - now;

describe('exactTime', () => {
  it.each([
    ['2026-11-21T13:00:00+00:00', '2026-11-21T13:00:00.000Z'],
    ['2026-11-21T13:00:00Z', '2026-11-21T13:00:00.000Z'],
    ['2026-11-21T08:00:00.5-05:00', '2026-11-21T13:00:00.500Z'],
    ['2026-11-21T13:00:00.123000Z', '2026-11-21T13:00:00.123Z'],
  ])('writes %s as %s', (text, expected) => {
    expect(exactTime(text)).toBe(expected);
  });

  it.each(['2026-11-21T13:00:00.123456Z', '2026-11-21T13:00:00', '2026-11-21', '2026-02-30T13:00:00Z', 'after lunch'])(
    'does not change %s',
    (text) => {
      expect(exactTime(text)).toBe(text);
    },
  );
});

describe('a slot', () => {
  it('can be booked with a key and before it expires [appointments#answer-of-availability]', () => {
    expect(bookable({})).toBe(true);
    expect(bookable({ expires_at: null })).toBe(true);
    expect(bookable({ booking_key: null })).toBe(false);
    expect(bookable({ expires_at: '2026-11-20T12:00:00Z' })).toBe(false);
    expect(bookable({ expires_at: '2026-11-20T12:00:00.001Z' })).toBe(true);
    expect(bookable({ expires_at: 'soon' })).toBe(false);
    expect(bookable({ expires_at: '2026-11-20T12:15:00' })).toBe(true);
  });
});

describe('a site', () => {
  const site = { code: 'X', address: { city: 'Y', unit: '1' }, lab: 'a_new_lab', radius: 'far' };

  it('keeps upstream values and has null for missing optional ones [appointments#answer-of-availability]', () => {
    const { slots } = toAvailabilityDto(
      { slots: [{ location: site, date: '2026-11-21', slots: [] }], timezone: 'Z' },
      0,
    );
    expect(slots[0]?.location).toEqual({
      ...site,
      address: { city: 'Y', second_line: null, unit: '1', access_notes: null },
      distance: null,
      iana_timezone: null,
    });
  });
});

describe('availabilityValidUntil', () => {
  const at = (seconds: number) => slot({ expires_at: new Date(now + seconds * 1000).toISOString() });

  it('is the first expiry of an offer, at most the ceiling', () => {
    expect(validFor(at(900), at(20), at(40))).toBe(20_000);
    expect(validFor(at(900))).toBe(MAX_AVAILABILITY_AGE_MS);
    expect(validFor(slot({ expires_at: null }))).toBe(MAX_AVAILABILITY_AGE_MS);
    expect(validFor(slot({ expires_at: null }), at(30))).toBe(30_000);
  });

  it('is shorter without slots, and zero if an expiry has passed or cannot be read', () => {
    expect(validFor()).toBe(MAX_NO_SLOTS_AGE_MS);
    expect(validFor(at(900), at(-1))).toBeLessThanOrEqual(0);
    expect(validFor(slot({ expires_at: 'soon' }))).toBe(0);
  });

  it('accepts responses of any length', () => {
    const slots = Array.from({ length: 200_000 }, () => at(30));
    const days = { slots: [{ location: null, date: '2026-11-21', slots }], timezone: null };
    expect(availabilityValidUntil(toAvailabilityDto(days, now), now) - now).toBe(30_000);
  });
});
