import { type Resource, resourceByName } from '../../health/catalogue/catalogue.js';
import { HOUR_MS, startOfDate } from '../../platform/platform/time.js';
import { closedDays, daysAtOnce, isDue, nextUnit, runsOfDays, windowOf } from './audit-plan.js';

const named = (name: string): Resource => resourceByName(name) as Resource;
const now = startOfDate('2026-11-10') + 12 * HOUR_MS;
const range = { first_day: '2026-11-01', last_day: '2026-11-10' };
const windowText = (resource: string, provider: string): string => {
  const { start, end } = windowOf({ resource: named(resource), provider, days: ['2026-11-02'] });
  return [start, end].map((ms) => new Date(ms).toISOString().slice(0, 19)).join(' ');
};

describe('the plan of an audit', () => {
  it.each([
    ['heartrate', 'oura', '2026-11-01T23:59:59 2026-11-03T00:00:01'],
    ['steps', 'oura', '2026-11-01T23:59:59 2026-11-04T00:00:01'],
    ['sleep', 'oura', '2026-10-31T00:00:00 2026-11-05T00:00:00'],
    ['glucose', 'freestyle_libre', '2026-11-01T00:00:00 2026-11-04T00:00:00'],
  ])('looks at all that %s of %s may have on a day', (resource, provider, window) => {
    expect(windowText(resource, provider)).toBe(window);
  });

  it('leaves out days that are not over', () => {
    const last = (resource: string) => closedDays({ resource, provider: 'oura' }, range, now).at(-1);
    expect(['heartrate', 'steps', 'sleep'].map(last)).toEqual(['2026-11-09', '2026-11-08', '2026-11-07']);
    expect(closedDays({ resource: 'unknown', provider: 'oura' }, range, now)).toEqual([]);
  });

  it('goes through resources, sources and days, each once', () => {
    const streams = ['steps oura', 'heartrate oura', 'sleep garmin', 'sleep oura'].map((name) => {
      const [resource = '', provider = ''] = name.split(' ');
      return { resource, provider };
    });
    const withDays = streams.map((stream) => ({ ...stream, days: closedDays(stream, range, now) }));
    const seen: string[] = [];
    let unit = nextUnit(withDays, null);
    while (unit) {
      const { resource, provider, days } = unit;
      seen.push(...days.map((day) => `${resource.name} ${provider} ${day}`));
      unit = nextUnit(withDays, [resource.name, provider, days.at(-1) ?? '']);
    }
    const all = streams.flatMap((stream) =>
      closedDays(stream, range, now).map((day) => `${stream.resource} ${stream.provider} ${day}`),
    );
    expect(seen).toEqual(all.sort());
  });

  it.each([
    ['never compared', undefined, true],
    ['compared long ago', now - 100, true],
    ['compared lately', now - 10, false],
    ['compared before a recovery of the day', now - 30, true],
  ])('takes a day that was %s: %s', (_, lookedAt, due) => {
    const range = { start: startOfDate('2026-11-02') - 1, end: startOfDate('2026-11-02') + 1 };
    const look = { day: '2026-11-02', lookedAt, since: now - 50, recovered: [{ ...range, endedAt: now - 20 }] };
    expect(isDue(look)).toBe(due);
    if (lookedAt === now - 30) expect(isDue({ ...look, day: '2026-11-03' })).toBe(false);
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
