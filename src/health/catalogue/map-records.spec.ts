import fc from 'fast-check';
import { catalogue, type Resource, resourceByName } from './catalogue.js';
import { mapGroups, mapGroupsInParts, mapSummaries, mapSummariesInParts } from './map-records.js';
import { isWithinBounds, type Records, rejectionReasons } from './records.js';

const source = { provider: 'oura', type: 'ring' };
const point = { timestamp: '2026-11-01T06:30:00Z', value: 60, unit: 'bpm', timezone_offset: 3600 };
const named = (name: string): Resource => resourceByName(name) as Resource;
const night = { id: 'a', bedtime_start: '2026-11-01T22:00:00Z', bedtime_stop: '2026-11-02T06:00:00Z', source };

describe('what is wrong with a point', () => {
  it.each([
    ['no_object', 42],
    ['no_value', null],
    ['no_time', { ...point, timestamp: null }],
    ['unreadable_time', { ...point, timestamp: '2026-02-31T00:00:00Z' }],
    ['unreadable_time', { ...point, end: 'sleep 12' }],
    ['time_out_of_range', { ...point, timestamp: '9999-12-31T23:59:59.999Z' }],
    ['time_out_of_range', { ...point, timestamp: '0001-01-01T00:00:00Z' }],
    ['time_out_of_range', { ...point, end: '9999-12-31T23:59:59.999Z' }],
    ['ends_before_start', { ...point, end: '2026-11-01T06:29:59.999Z' }],
    ['offset_out_of_range', { ...point, timezone_offset: 9e12 }],
    ['no_value', { ...point, value: undefined }],
    ['unreadable_value', { ...point, value: '60' }],
    ['unreadable_value', JSON.parse('{"timestamp":"2026-11-01T06:30:00Z","value":1e400}')],
    ['key_too_long', { ...point, type: 'x'.repeat(300) }],
    ['nul_in_text', { ...point, type: 'a\0b' }],
    ['attributes_too_long', { ...point, more: 'x'.repeat(3_000) }],
  ])('%s, and it is kept unchanged', (reason, bad) => {
    const records = mapGroups(named('heartrate'), [{ source, data: [point, bad, bad] }]);
    expect(records).toMatchObject({ received: 3, rejected: 2 });
    const [rejection, ...others] = records.rejections;
    expect(others).toEqual([]);
    expect(rejection).toMatchObject({ reason, provider: 'oura', count: 2 });
    const raw = JSON.stringify(bad).replace('"value":null', '"value":"Infinity"');
    expect(rejection?.raw).toBe(reason === 'unreadable_value' ? raw : JSON.stringify(bad));
  });

  it.each([
    ['no_id', { ...night, id: '' }],
    ['no_time', { ...night, bedtime_start: undefined }],
    ['unreadable_time', { ...night, bedtime_stop: 'soon' }],
    ['unreadable_time', { ...night, calendar_date: '2026-02-31' }],
    ['unreadable_time', { ...night, updated_at: 'sleep 12' }],
    ['time_out_of_range', { ...night, updated_at: '9999-12-31T23:59:59Z' }],
    ['ends_before_start', { ...night, bedtime_stop: '2026-10-01T06:00:00Z' }],
    ['offset_out_of_range', { ...night, timezone_offset: -9e12 }],
    ['no_object', 'text'],
  ])('of a summary: %s', (reason, bad) => {
    const records = mapSummaries(named('sleep'), [bad, night]);
    expect(records).toMatchObject({ received: 2, rejected: 1, rejections: [{ reason, raw: JSON.stringify(bad) }] });
    expect(records.summaries).toHaveLength(1);
  });

  it('a summary whose time is a date belongs to that day, and one with a time of day only if it names a day', () => {
    const period = { id: 'a', period_start: '2026-11-02', period_end: '2026-11-05', source };
    const days = [
      mapSummaries(named('menstrual_cycle'), [period]),
      mapSummaries(named('sleep'), [night]),
      mapSummaries(named('sleep'), [{ ...night, calendar_date: '2026-11-02' }]),
    ].map(({ summaries }) => summaries[0]?.calendarDate);
    expect(days).toEqual(['2026-11-02', null, '2026-11-02']);
  });

  it('a summary that was changed before 1970 is like any other', () => {
    const old = {
      ...night,
      bedtime_start: '1969-07-20T22:00:00Z',
      bedtime_stop: null,
      updated_at: '1969-07-21T08:00:00Z',
    };
    const { rejected, summaries } = mapSummaries(named('sleep'), [old]);
    expect([rejected, summaries[0]?.time]).toEqual([0, Date.UTC(1969, 6, 20, 22)]);
  });

  it('of very many the first are kept, and the others are counted by reason', () => {
    const data = Array.from({ length: 3_000 }, (_, value) => ({ value }));
    const { rejected, rejections } = mapGroups(named('heartrate'), [{ source, data }]);
    expect(rejected).toBe(3_000);
    expect(rejections).toHaveLength(1_001);
    expect(rejections.at(-1)).toEqual({ reason: 'no_time', provider: 'oura', time: null, raw: null, count: 2_000 });
  });
});

describe('mapping a large page', () => {
  const pausesOf = (parts: Generator<void, Records>): { pauses: number; records: Records } => {
    for (let pauses = 0; ; pauses++) {
      const { done, value: records } = parts.next();
      if (done) return { pauses, records };
    }
  };

  it('pauses after every 2,000 points, whatever their groups', () => {
    const minute = (index: number): string => new Date(Date.UTC(2026, 10, 1) + index * 60_000).toISOString();
    const points = Array.from({ length: 5_000 }, (_, index) => ({ ...point, timestamp: minute(index) }));
    const groups = [points.slice(0, 1_500), points.slice(1_500)].map((data) => ({ source, data }));
    const { pauses, records } = pausesOf(mapGroupsInParts(named('heartrate'), groups));
    expect(pauses).toBe(2);
    expect(records.received).toBe(5_000);
    expect(records).toEqual(mapGroups(named('heartrate'), groups));
  });

  it('pauses after every 100 summaries', () => {
    const nights = Array.from({ length: 250 }, (_, index) => ({ ...night, id: `night-${index}` }));
    const { pauses, records } = pausesOf(mapSummariesInParts(named('sleep'), nights));
    expect(pauses).toBe(2);
    expect(records).toEqual(mapSummaries(named('sleep'), nights));
  });
});

describe('mapping', () => {
  const field = fc.constantFrom(
    ...[
      'timestamp',
      'start',
      'end',
      'value',
      'systolic',
      'diastolic',
      'type',
      'unit',
      'timezone_offset',
      'id',
      'source',
    ],
    ...['bedtime_start', 'bedtime_stop', 'calendar_date', 'updated_at', 'created_at', 'period_start'],
  );
  const odd = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.constantFrom(
      '2026-11-01T06:30:00Z',
      '9999-12-31T23:59:59Z',
      '2026-02-31',
      1e400,
      -1e400,
      9e12,
      'a\0b',
      '\ud800',
    ),
    fc.constantFrom('x'.repeat(3_000), 60, -0, '2026-11-01', source),
  );
  const thing = fc.oneof(odd, fc.dictionary(field, odd, { maxKeys: 8 }));

  const isWhole = ({ received, rejected, rejections, samples, summaries }: Records): void => {
    const stored = samples.flatMap((batch) => batch.samples);
    expect(rejections.reduce((sum, { count }) => sum + count, 0)).toBe(rejected);
    expect(stored.length + summaries.length + rejected).toBeLessThanOrEqual(received);
    for (const { reason, raw } of rejections) {
      expect(rejectionReasons).toContain(reason);
      expect(() => void JSON.parse(raw ?? 'null')).not.toThrow();
    }
    for (const { time } of [...stored, ...summaries]) expect(isWithinBounds(time)).toBe(true);
    if (received > 0) expect(stored.length + summaries.length + rejected).toBeGreaterThan(0);
  };

  it('never throws for JSON, and drops nothing without a reason', () => {
    const anySource = fc.oneof(fc.constant(source), fc.dictionary(fc.constantFrom('provider', 'type', 'slug'), odd));
    fc.assert(
      fc.property(fc.constantFrom(...catalogue), anySource, fc.array(thing), (resource, from, data) => {
        isWhole(
          resource.family === 'summary' ? mapSummaries(resource, data) : mapGroups(resource, [{ source: from, data }]),
        );
      }),
      { numRuns: 1_000 },
    );
  });
});
