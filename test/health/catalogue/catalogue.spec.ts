import { catalogue, type Resource, resourceByEvent, resourceByName } from '../../../src/health/catalogue/catalogue.js';
import { mapGroups, mapSummaries } from '../../../src/health/catalogue/map-records.js';

const start = '2026-11-01T06:30:00.000+00:00';
const end = '2026-11-01T06:45:00.000+00:00';
const source = { provider: 'oura', type: 'ring', app_id: null, device_id: null };
const at = Date.parse(start);

const pointOf: Record<string, Record<string, unknown>> = {
  interval: { timestamp: start, start, end, value: 4.25, unit: 'u', timezone_offset: 3600, type: null, id: 7 },
  discrete: { timestamp: start, value: 4.25, unit: 'u', timezone_offset: 3600, type: null, id: 7 },
  pair: { timestamp: start, systolic: 121.5, diastolic: 79, unit: 'mmHg', timezone_offset: 3600, grouping: ['cuff'] },
  text: { timestamp: start, start, end, value: 'a note', unit: 'text', tags: ['food'] },
};

const summaryOf = (resource: Resource): Record<string, unknown> => ({
  id: '00000000-0000-4000-8000-000000000001',
  [String(resource.timeField)]: start,
  ...(resource.endField ? { [resource.endField]: end } : {}),
  ...(resource.timeField === 'updated_at' ? {} : { updated_at: '2026-11-02T00:00:00.123456+00:00' }),
  source,
});

const timeseries = catalogue.filter((resource) => resource.family in pointOf);
const summaries = catalogue.filter((resource) => resource.family === 'summary');

describe('catalogue', () => {
  it('has the 61 resources of the interface, each once', () => {
    expect(catalogue).toHaveLength(61);
    expect(new Set(catalogue.map((resource) => resource.name)).size).toBe(61);
    expect([timeseries.length, summaries.length]).toEqual([51, 9]);
  });

  it.each(catalogue.filter((r) => r.eventName).map((r) => [r.name, r] as const))(
    'finds %s by its name in events [introspection#resource-names]',
    (_, resource) => {
      expect(resourceByEvent(String(resource.eventName))).toBe(resource);
      expect(resourceByName(resource.name)).toBe(resource);
    },
  );

  it('maps fat and weight of events to body_fat and body_weight of paths [webhooks#names-of-event-types]', () => {
    expect(resourceByEvent('fat')?.name).toBe('body_fat');
    expect(resourceByEvent('weight')?.name).toBe('body_weight');
    expect(resourceByEvent('body_fat')).toBeNull();
    expect(resourceByName('hypnogram')).toMatchObject({ eventName: null, pulled: false });
    expect(resourceByEvent('no_such_resource')).toBeNull();
  });
});

describe('samples', () => {
  it.each(timeseries.map((resource) => [resource.name, resource] as const))(
    'of %s are the same from a page and from an event [timeseries#groups] [timeseries#points] [webhooks#timeseries-events]',
    (_, resource) => {
      const point = pointOf[resource.family] ?? {};
      const page = mapGroups(resource, [{ source, data: [point] }]);
      const { grouping, id, ...published } = point;
      const event = mapGroups(resource, [{ source: { ...source, slug: 'oura' }, data: [published] }]);
      expect(event).toEqual(page);
      expect(page).toMatchObject({ received: 1, rejected: 0 });
      expect(page.samples[0]?.samples[0]).toMatchObject({
        time: at,
        durationMs: resource.family === 'interval' || resource.family === 'text' ? 900_000 : null,
        value: resource.family === 'pair' ? 121.5 : resource.family === 'text' ? null : 4.25,
        value2: resource.family === 'pair' ? 79 : null,
        text: resource.family === 'text' ? 'a note' : null,
      });
    },
  );

  const heartrate = resourceByName('heartrate') as Resource;
  const map = (data: unknown[], from: Record<string, unknown> | null = source) =>
    mapGroups(heartrate, [{ source: from, data }]);
  const point = pointOf['discrete'] ?? {};

  it.each([
    ['no time', { ...point, timestamp: undefined }],
    ['a time that is none', { ...point, timestamp: 'yesterday' }],
    ['a word with a number for a time', { ...point, timestamp: 'sleep 12' }],
    ['a day that does not exist', { ...point, timestamp: '2026-02-31T00:00:00Z' }],
    ['no value', { ...point, value: undefined }],
    ['a value that is null', { ...point, value: null }],
    ['a value that is text', { ...point, value: '60' }],
    ['a value that is not finite', { ...point, value: Number.POSITIVE_INFINITY }],
    ['no object', 42],
    ['null', null],
  ])('are rejected with %s and do not stop the others [timeseries#sparse-examples]', (_, bad) => {
    const records = map([bad, point]);
    expect(records).toMatchObject({ received: 2, rejected: 1 });
    expect(records.samples.flatMap((batch) => batch.samples)).toHaveLength(1);
  });

  it('read the provider from the slug if there is no other, and need one [timeseries#forms-that-have-ended] [timeseries#source]', () => {
    expect(map([point], { slug: 'fitbit' }).samples[0]?.key).toMatchObject({
      provider: 'fitbit',
      sourceType: 'unknown',
    });
    expect(map([point], {})).toMatchObject({ received: 1, rejected: 1, samples: [] });
    expect(map([point], null)).toMatchObject({ received: 1, rejected: 1, samples: [] });
  });

  it('accept start and end on resources documented with one instant [timeseries#discrete-with-an-interval]', () => {
    const { timestamp, ...rest } = point;
    expect(map([{ ...rest, start, end }]).samples[0]?.samples[0]).toMatchObject({ time: at, durationMs: 900_000 });
  });

  it('read a time without an offset as UTC, wherever the process runs', () => {
    const [batch] = map([{ ...point, timestamp: '2026-11-01T06:30:00' }]).samples;
    expect(batch?.samples[0]?.time).toBe(at);
  });

  it('keep unknown fields, and omit nulls', () => {
    const attributes = map([{ ...point, mood: 'calm', extra: null }]).samples[0]?.samples[0]?.attributes;
    expect(JSON.parse(String(attributes))).toEqual({ unit: 'u', timezone_offset: 3600, mood: 'calm' });
  });

  it('are sorted by time, and of two with the same time the later in the page is kept', () => {
    const earlier = '2026-11-01T06:00:00+00:00';
    const records = map([point, { ...point, timestamp: earlier, value: 1 }, { ...point, value: 9 }]);
    expect(records.samples[0]?.samples.map((sample) => sample.value)).toEqual([1, 9]);
  });

  it('of one instant are split by type into sub-series [timeseries#sub-series]', () => {
    const cholesterol = resourceByName('cholesterol') as Resource;
    const data = ['ldl', 'hdl', 'ldl'].map((type, index) => ({ ...point, type, value: index }));
    const { samples } = mapGroups(cholesterol, [{ source, data }]);
    expect(samples.map((batch) => [batch.key.subSeries, batch.samples.length])).toEqual([
      ['ldl', 1],
      ['hdl', 1],
    ]);
  });
});

describe('summaries', () => {
  it.each(summaries.map((resource) => [resource.name, resource] as const))(
    'of %s have an id, a time, a source and a version [summaries#common-fields]',
    (_, resource) => {
      const records = mapSummaries(resource, [summaryOf(resource)]);
      expect(records.rejected).toBe(0);
      expect(records.summaries[0]).toMatchObject({
        summaryId: '00000000-0000-4000-8000-000000000001',
        time: at,
        endTime: resource.endField ? Date.parse(end) : null,
        provider: 'oura',
        sourceType: 'ring',
      });
    },
  );

  const sleep = resourceByName('sleep') as Resource;

  it('distinguish versions by microseconds [summaries#key-and-version]', () => {
    const versions = ['00:00:00.123456Z', '00:00:00.123457Z', '00:00:00.2Z', '00:00:01Z'].map(
      (time) => mapSummaries(sleep, [{ ...summaryOf(sleep), updated_at: `2026-11-02T${time}` }]).summaries[0]?.version,
    );
    expect(versions).toEqual([...versions].sort((a, b) => Number(a) - Number(b)));
    expect(new Set(versions).size).toBe(4);
  });

  it('have the type of a sleep and the sport of a workout as their kind, if the database can store it', () => {
    const kindOf = (name: string, more: object): string | null | undefined => {
      const resource = resourceByName(name) as Resource;
      return mapSummaries(resource, [{ ...summaryOf(resource), ...more }]).summaries[0]?.kind;
    };
    const type = 'acknowledged_nap';
    expect([kindOf('sleep', { type }), kindOf('sleep', {}), kindOf('profile', { type })]).toEqual([type, null, null]);
    expect(kindOf('sleep', { type, total: 0 })).toBe('no_sleep');
    expect(kindOf('sleep', { type, state: 'tentative' })).toBe('tentative acknowledged_nap');
    expect(kindOf('workouts', { sport: { slug: 'running' }, is_predicted: true })).toBe('forecast');
    expect([{ weight: 80 }, { weight: 0, fat: null }].map((of) => kindOf('body', of))).toEqual([null, 'no_activity']);
    expect([{}, { steps: 0, distance: null }, { steps: 7 }, { high: 1 }].map((of) => kindOf('activity', of))).toEqual([
      ...['no_activity', 'no_activity', null, null],
    ]);
    expect([{ source_app_id: 'app.a' }, {}].map((of) => kindOf('meal', of))).toEqual(['app.a', null]);
    const sports = ['running', 'a\0b', 7, undefined].map((slug) => kindOf('workouts', { sport: { slug } }));
    expect([...sports, kindOf('workouts', { sport: 'running' })]).toEqual(['running', null, null, null, null]);
  });

  it('without an id or a time are rejected; of one id twice the newer version stays [summaries#common-fields] [summaries#missing-sleep-fields]', () => {
    const { id, ...nameless } = summaryOf(sleep);
    const { bedtime_start, ...timeless } = summaryOf(sleep);
    const old = { ...summaryOf(sleep), updated_at: '2026-11-01T00:00:00Z', score: 1 };
    const records = mapSummaries(sleep, [nameless, timeless, 'text', summaryOf(sleep), old]);
    expect(records).toMatchObject({ received: 5, rejected: 3 });
    expect(records.summaries.map((summary) => summary.raw)).toEqual([JSON.stringify(summaryOf(sleep))]);
  });
});
