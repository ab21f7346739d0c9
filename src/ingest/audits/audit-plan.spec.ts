import { type Resource, resourceByName } from '../../health/catalogue/catalogue.js';
import { HOUR_MS, startOfDate } from '../../platform/platform/time.js';
import { closedDays, nextUnit, runsOfDays, windowOf } from './audit-plan.js';

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
    const seen: string[] = [];
    let unit = nextUnit(streams, range, null, now);
    while (unit) {
      const { resource, provider, days } = unit;
      seen.push(...days.map((day) => `${resource.name} ${provider} ${day}`));
      unit = nextUnit(streams, range, [resource.name, provider, days.at(-1) ?? ''], now);
    }
    const all = streams.flatMap((stream) =>
      closedDays(stream, range, now).map((day) => `${stream.resource} ${stream.provider} ${day}`),
    );
    expect(seen).toEqual(all.sort());
  });

  it('looks again at consecutive days together', () => {
    const days = ['2026-11-01', '2026-11-02', '2026-11-04'];
    expect(runsOfDays(named('sleep'), days)).toEqual([['2026-11-01', '2026-11-02'], ['2026-11-04']]);
    expect(runsOfDays(named('heartrate'), days)).toEqual([['2026-11-01'], ['2026-11-02'], ['2026-11-04']]);
  });
});
