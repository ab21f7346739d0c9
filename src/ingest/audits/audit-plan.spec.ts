import { type Resource, resourceByName } from '../../health/catalogue/catalogue.js';
import { DAY_MS, dateOf, HOUR_MS, startOfDate } from '../../platform/platform/time.js';
import {
  type AuditPlace,
  closedDays,
  daysAtOnce,
  nextUnit,
  runsOfDays,
  type StreamDays,
  turnOf,
  windowOf,
} from './audit-plan.js';

const named = (name: string): Resource => resourceByName(name) as Resource;
const now = startOfDate('2026-11-10') + 12 * HOUR_MS;
const range = { first_day: '2026-11-01', last_day: '2026-11-10' };
const windowText = (resource: string, provider: string): string => {
  const { start, end } = windowOf({ resource: named(resource), provider, days: ['2026-11-02'] });
  return [start, end].map((ms) => new Date(ms).toISOString().slice(0, 19)).join(' ');
};

/** `RESOURCE PROVIDER DAY` of everything that an audit compares, in its order. */
function unitsOf(streams: readonly StreamDays[]): string[] {
  const seen: string[] = [];
  let place: AuditPlace | null = null;
  for (let next = nextUnit(streams, place); next; next = nextUnit(streams, place)) {
    const { resource, provider, days } = next.unit;
    seen.push(...days.map((day) => `${resource.name} ${provider} ${day}`));
    ({ place } = next);
  }
  return seen;
}

function looksOf(streams: readonly StreamDays[]): number {
  let looks = 0;
  for (let next = nextUnit(streams, null); next; next = nextUnit(streams, next.place)) looks += 1;
  return looks;
}

describe('the plan of an audit', () => {
  it.each([
    ['heartrate', 'oura', '2026-11-01T23:59:59 2026-11-03T00:00:01'],
    ['steps', 'oura', '2026-11-01T23:59:59 2026-11-04T00:00:01'],
    ['sleep', 'oura', '2026-10-31T00:00:00 2026-11-06T00:00:00'],
    ['meal', 'oura', '2026-10-31T00:00:00 2026-11-05T00:00:00'],
    ['glucose', 'freestyle_libre', '2026-11-01T00:00:00 2026-11-04T00:00:00'],
  ])('looks at all that %s of %s may have on a day', (resource, provider, window) => {
    expect(windowText(resource, provider)).toBe(window);
  });

  it('leaves out days that are not over', () => {
    const last = (resource: string) => closedDays({ resource, provider: 'oura' }, range, now).at(-1);
    const lasts = ['heartrate', 'steps', 'meal', 'sleep'].map(last);
    expect(lasts).toEqual(['2026-11-09', '2026-11-08', '2026-11-07', '2026-11-06']);
    expect(closedDays({ resource: 'unknown', provider: 'oura' }, range, now)).toEqual([]);
  });

  it('goes through resources, sources and days, each once', () => {
    const streams = ['steps oura', 'heartrate oura', 'sleep garmin', 'sleep oura'].map((name) => {
      const [resource = '', provider = ''] = name.split(' ');
      return { resource, provider };
    });
    const seen = unitsOf(streams.map((stream) => ({ ...stream, days: closedDays(stream, range, now), turn: 0 })));
    const all = streams.flatMap((stream) =>
      closedDays(stream, range, now).map((day) => `${stream.resource} ${stream.provider} ${day}`),
    );
    expect(seen).toEqual(all.sort());
  });

  it('takes what was never compared first, then what a recovery pulled since, then what is old, by age', () => {
    const cycleMs = 30 * DAY_MS;
    const range = { start: startOfDate('2026-11-02') - 1, end: startOfDate('2026-11-02') + 1 };
    const recovered = [{ ...range, endedAt: now - 5 * DAY_MS }];
    const turn = (day: string, lookedAt?: number) => turnOf({ day, lookedAt, cycleMs, now, recovered });
    const turns = [
      turn('2026-11-02'),
      turn('2026-11-02', now - 6 * DAY_MS),
      turn('2026-11-03', now - 100 * DAY_MS),
      turn('2026-11-03', now - 35 * DAY_MS),
    ].map(Number);
    expect(turns.toSorted((a, b) => a - b)).toEqual(turns);
    expect(new Set(turns).size).toBe(4);
    expect(turn('2026-11-02', now - 4 * DAY_MS)).toBeNull();
    expect(turn('2026-11-03', now - 6 * DAY_MS)).toBeNull();
    const stream = { resource: 'sleep', provider: 'oura' };
    const streams = [
      { ...stream, days: ['2026-11-01'], turn: 5 },
      { ...stream, resource: 'steps', days: ['2026-11-01', '2026-11-03'], turn: 0 },
      { ...stream, days: ['2026-11-02'], turn: 1 },
    ];
    expect(unitsOf(streams)).toEqual([
      'steps oura 2026-11-01',
      'steps oura 2026-11-03',
      'sleep oura 2026-11-02',
      'sleep oura 2026-11-01',
    ]);
  });

  it.each([
    [90, [3, 13, 90], 2.4, 3.5],
    [400, [14, 58, 400], 14.5, 15.7],
  ])('costs the calls of docs/scaling.md for %i days', (count, calls, withoutFirst, perDay) => {
    const start = startOfDate('2025-01-01');
    const days = Array.from({ length: count }, (_, index) => dateOf(start + index * DAY_MS));
    const streams = ['sleep', 'steps', 'heartrate'].map((resource) => {
      return { resource, provider: 'oura', days, mostObjects: 1_440, turn: 0 };
    });
    expect(streams.map((stream) => looksOf([stream]))).toEqual(calls);
    const cycleDays = 30;
    expect(looksOf(streams) / cycleDays).toBeCloseTo(perDay, 1);
    const older = streams.map((stream) => ({ ...stream, days: days.slice(cycleDays) }));
    expect(looksOf(older) / cycleDays).toBeCloseTo(withoutFirst, 1);
  });

  it('looks again at consecutive days together', () => {
    const days = ['2026-11-01', '2026-11-02', '2026-11-04'];
    expect(runsOfDays(days, 30)).toEqual([['2026-11-01', '2026-11-02'], ['2026-11-04']]);
    expect(runsOfDays(days, 1)).toEqual([['2026-11-01'], ['2026-11-02'], ['2026-11-04']]);
  });

  it('looks at a week of samples together that were few on every day so far', () => {
    const most = (resource: string, objects?: number) => daysAtOnce(named(resource), objects);
    expect([most('glucose'), most('glucose', 288), most('glucose', 1_440), most('sleep', 1)]).toEqual([1, 7, 1, 30]);
  });
});
