import { DAY_MS, HOUR_MS, parseInstant, toIso } from '../../platform/platform/time.js';
import { resourceByName } from '../catalogue/catalogue.js';
import { type DayFactors, datesOf, daySpans, phaseOf, reachOf } from './day-spans.js';
import { PersonClock } from './person-clock.js';
import { Zones } from './zones.js';

const at = (text: string): number => parseInstant(text) ?? Number.NaN;
const steps = { family: 'interval', hasDay: false } as const;
const sleep = { family: 'summary', hasDay: true } as const;
const seen = (time: string, hours: number) => ({ time: at(time), ahead: hours * HOUR_MS });

interface Factors extends Partial<Pick<DayFactors, 'resource'>> {
  readonly observed?: readonly { time: number; ahead: number }[];
  readonly zone?: string;
}

function clockOf({ observed = [], zone }: Factors): PersonClock {
  const known = observed.map((one) => ({ ...one, seriesId: 1, provider: 'oura', sourceType: 'ring' }));
  return new PersonClock(new Zones(zone ?? null), [], known);
}

function spanOf(date: string, factors: Factors = {}) {
  const [span] = daySpans([date], { resource: factors.resource ?? steps, clock: clockOf(factors) });
  if (!span) throw new Error('no span');
  return span;
}

const midday = '2026-11-10T12:00:00Z';

describe('a day of a person', () => {
  it.each<[string, string, Factors, string, number, string, string | null]>([
    ['without a zone', '2026-11-10', {}, '2026-11-10T00:00', 24, 'utc', null],
    [
      'of samples far east',
      '2026-11-10',
      { observed: [seen(midday, 14)] },
      '2026-11-09T10:00',
      24,
      'samples',
      '+14:00',
    ],
    [
      'of samples far west',
      '2026-11-10',
      { observed: [seen(midday, -12)] },
      '2026-11-10T12:00',
      24,
      'samples',
      '-12:00',
    ],
    [
      'of samples at half hours',
      '2026-11-10',
      { observed: [seen(midday, 5.5)] },
      '2026-11-09T18:30',
      24,
      'samples',
      '+05:30',
    ],
    [
      'of samples at half hours west',
      '2026-11-10',
      { observed: [seen(midday, -3.5)] },
      '2026-11-10T03:30',
      24,
      'samples',
      '-03:30',
    ],
    [
      'of samples at quarters',
      '2026-11-10',
      { observed: [seen(midday, 5.75)] },
      '2026-11-09T18:15',
      24,
      'samples',
      '+05:45',
    ],
    [
      'of samples and a zone',
      '2026-11-10',
      { observed: [seen(midday, -8)], zone: 'Asia/Tokyo' },
      '2026-11-10T08:00',
      24,
      'samples',
      '-08:00',
    ],
    ['beside samples', '2026-11-11', { observed: [seen(midday, -8)] }, '2026-11-11T08:00', 24, 'samples', '-08:00'],
    ['after samples of long ago', '2026-11-14', { observed: [seen(midday, -8)] }, '2026-11-14T00:00', 24, 'utc', null],
    [
      'on which clocks change, by samples',
      '2026-11-01',
      {
        observed: [
          seen('2026-11-01T06:10:00Z', -7),
          seen('2026-11-01T18:10:00Z', -8),
          seen('2026-11-02T06:10:00Z', -8),
        ],
      },
      '2026-11-01T07:00',
      25,
      'samples',
      '-07:00',
    ],
    [
      'after a flight',
      '2026-11-10',
      { observed: [seen('2026-11-08T20:00:00Z', -8), seen('2026-11-10T00:10:00Z', 9)] },
      '2026-11-09T15:00',
      24,
      'samples',
      '+09:00',
    ],
    [
      'of a zone',
      '2026-11-10',
      { zone: 'America/Los_Angeles' },
      '2026-11-10T08:00',
      24,
      'fallback_time_zone',
      'America/Los_Angeles',
    ],
    [
      'of the first zone',
      '2026-11-10',
      { zone: 'Pacific/Kiritimati' },
      '2026-11-09T10:00',
      24,
      'fallback_time_zone',
      'Pacific/Kiritimati',
    ],
    [
      'of the last zone',
      '2026-11-10',
      { zone: 'Etc/GMT+12' },
      '2026-11-10T12:00',
      24,
      'fallback_time_zone',
      'Etc/GMT+12',
    ],
    [
      'of a zone at half hours',
      '2026-11-10',
      { zone: 'Asia/Kolkata' },
      '2026-11-09T18:30',
      24,
      'fallback_time_zone',
      'Asia/Kolkata',
    ],
    [
      'with 25 hours',
      '2026-10-25',
      { zone: 'Europe/Berlin' },
      '2026-10-24T22:00',
      25,
      'fallback_time_zone',
      'Europe/Berlin',
    ],
    [
      'with 23 hours',
      '2026-03-29',
      { zone: 'Europe/Berlin' },
      '2026-03-28T23:00',
      23,
      'fallback_time_zone',
      'Europe/Berlin',
    ],
    [
      'with 25 hours in the west',
      '2026-11-01',
      { zone: 'America/New_York' },
      '2026-11-01T04:00',
      25,
      'fallback_time_zone',
      'America/New_York',
    ],
    [
      'with a change of half an hour',
      '2026-10-04',
      { zone: 'Australia/Lord_Howe' },
      '2026-10-03T13:30',
      23.5,
      'fallback_time_zone',
      'Australia/Lord_Howe',
    ],
    [
      'whose midnight is skipped',
      '2026-04-24',
      { zone: 'Africa/Cairo' },
      '2026-04-23T22:00',
      23,
      'fallback_time_zone',
      'Africa/Cairo',
    ],
    [
      'whose end comes twice',
      '2026-10-29',
      { zone: 'Africa/Cairo' },
      '2026-10-28T21:00',
      25,
      'fallback_time_zone',
      'Africa/Cairo',
    ],
    ['of an unknown zone', '2026-11-10', { zone: 'Nowhere/City' }, '2026-11-10T00:00', 24, 'utc', null],
    [
      'that records name',
      '2026-11-10',
      { resource: sleep, zone: 'Asia/Tokyo' },
      '2026-11-09T15:00',
      24,
      'calendar_date',
      'Asia/Tokyo',
    ],
  ])('%s', (_, date, factors, start, hours, by, zone) => {
    const span = spanOf(date, factors);
    expect([toIso(span.start).slice(0, 16), (span.end - span.start) / HOUR_MS, span.by, span.zone]).toEqual([
      start,
      hours,
      by,
      zone,
    ]);
  });

  it('follows the previous day without a gap, whatever the clocks do', () => {
    const dates = datesOf({ from: '2025-12-01', to: '2026-12-01' });
    for (const zone of ['Europe/Berlin', 'America/New_York', 'Africa/Cairo', 'Africa/Casablanca', 'Atlantic/Azores']) {
      const spans = daySpans(dates, { resource: steps, clock: clockOf({ zone }) });
      expect(spans.slice(1).map(({ start }) => start)).toEqual(spans.slice(0, -1).map(({ end }) => end));
    }
  });

  it('that is skipped at the date line is not empty', () => {
    // The move at 11:00 is from 23:00 on the 9th to 01:00 on the 11th.
    const observed = [seen('2026-11-10T09:00:00Z', -12), seen('2026-11-10T13:00:00Z', 14)];
    const factors = { resource: steps, clock: clockOf({ observed }) };
    const spans = daySpans(['2026-11-09', '2026-11-10', '2026-11-11'], factors);
    const hours = spans.map(({ start, end }) => [toIso(start).slice(8, 16), Math.round((end - start) / HOUR_MS)]);
    expect(hours).toEqual([
      ['09T12:00', 23],
      ['10T11:00', 1],
      ['10T11:00', 23],
    ]);
  });
});

describe('whether a day is over', () => {
  it.each<[string, Factors, string, string]>([
    ['begins with the first zone', {}, '2026-11-09T09:59:59Z', 'ahead'],
    ['may have begun in the first zone', {}, '2026-11-09T10:00:00Z', 'running'],
    ['may still run in the last zone', {}, '2026-11-11T11:59:59Z', 'running'],
    ['is over in the last zone', {}, '2026-11-11T12:00:00Z', 'over'],
    ['has not begun by the offset of samples', { observed: [seen(midday, -8)] }, '2026-11-10T07:59:59Z', 'ahead'],
    ['runs by the offset of samples', { observed: [seen(midday, -8)] }, '2026-11-11T07:59:59Z', 'running'],
    ['is over by the offset of samples', { observed: [seen(midday, -8)] }, '2026-11-11T08:00:00Z', 'over'],
    ['has begun by the zone', { zone: 'Asia/Tokyo' }, '2026-11-09T15:00:00Z', 'running'],
    ['is over by the zone', { zone: 'Asia/Tokyo' }, '2026-11-10T15:00:00Z', 'over'],
    ['may still run where records name it', { resource: sleep }, '2026-11-11T11:59:59Z', 'running'],
  ])('%s', (_, factors, now, phase) => {
    expect(phaseOf(spanOf('2026-11-10', factors), at(now))).toBe(phase);
  });
});

describe('the range of the records of a day', () => {
  it('is the day itself for samples, and wider for summaries', () => {
    const span = spanOf('2026-11-10', { observed: [seen(midday, -8)] });
    const of = (name: string) => reachOf(resourceByName(name) ?? { family: 'stream' }, span);
    expect(of('steps')).toEqual({ start: span.start, end: span.start + DAY_MS });
    expect(of('sleep')).toEqual({ start: at('2026-11-09T00:00:00Z'), end: at('2026-11-11T12:00:00Z') });
  });
});
