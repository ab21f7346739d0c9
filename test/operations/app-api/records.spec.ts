import { resourceByName } from '../../../src/health/catalogue/catalogue.js';
import { mapGroups, mapSummaries } from '../../../src/health/catalogue/map-records.js';
import type { Records } from '../../../src/health/catalogue/records.js';
import { HealthDataService } from '../../../src/health/records/health-data.service.js';
import type { Provenance } from '../../../src/health/records/record.entity.js';
import type { Page } from '../../../src/platform/platform/paging.js';
import { newAccountId } from '../../support/environment.js';
import type { Answer } from '../../support/http.js';
import { TestApp } from '../../support/test-app.js';

type Row = Record<string, unknown>;

const ring = { provider: 'oura', type: 'ring' };
const watch = { provider: 'apple_health_kit', type: 'watch', device_id: '00000000-0000-4000-8000-0000000000d1' };

describe('stored records', () => {
  let app: TestApp;
  let at: number;
  let anna: string;

  beforeAll(async () => {
    app = await TestApp.create();
    at = app.clock.now();
  });

  afterAll(() => app.close());

  beforeEach(async () => {
    anna = newAccountId();
    expect((await app.as(anna, 'GET', '/me')).status).toBe(200);
  });

  const pulled = (task = 7): Provenance => ({ kind: 'sync', ref: task, page: 2, at });

  async function apply(account: string, records: Records, provenance: Provenance = pulled()): Promise<void> {
    const service = app.get(HealthDataService);
    const { lane, reader } = app.store;
    const row = await reader.row<{ id: number }>('SELECT id FROM accounts WHERE account_id = ?', [account]);
    await lane.run(async (tx) => {
      await service.apply(tx, { account: row?.id ?? 0, records, provenance });
    });
  }

  const samples = (name: string, source: object, data: object[]): Records =>
    mapGroups(resourceOf(name), [{ source: source as Record<string, unknown>, data }]);
  const minutes = (source: object, ...hours: number[]): Records =>
    samples(
      'mindfulness_minutes',
      source,
      hours.map((hour) => ({
        start: `2026-11-01T${String(hour).padStart(2, '0')}:00:00+00:00`,
        end: `2026-11-01T${String(hour).padStart(2, '0')}:10:00+00:00`,
        unit: 'min',
        value: hour,
      })),
    );
  const read = (path: string): Promise<Answer<Page<Row>>> => app.admin<Page<Row>>('GET', `/accounts/${anna}${path}`);
  const rows = async (path: string): Promise<Row[]> => (await read(path)).body.data;

  it('of an interval show its time, value, source, local time and provenance [timeseries#points]', async () => {
    const point = {
      start: '2026-11-01T08:00:00+00:00',
      end: '2026-11-01T08:10:00+00:00',
      timezone_offset: -18_000,
      unit: 'min',
      value: 10,
      tagged: true,
    };
    await apply(anna, samples('mindfulness_minutes', watch, [point]));
    expect(await rows('/records/mindfulness_minutes')).toEqual([
      {
        resource: 'mindfulness_minutes',
        id: expect.stringMatching(/^[a-z0-9.]+$/),
        time: '2026-11-01T08:00:00.000Z',
        end_time: '2026-11-01T08:10:00.000Z',
        timezone_offset: -18_000,
        local_time: '2026-11-01T03:00:00.000',
        floating_time: false,
        value: 10,
        unit: 'min',
        type: null,
        source: {
          provider: 'apple_health_kit',
          type: 'watch',
          device_id: watch.device_id,
          workout_id: null,
          sport: null,
        },
        attributes: { tagged: true },
        provenance: { kind: 'sync', task_id: 7, page: 2, observed_at: new Date(at).toISOString(), earlier_user: false },
      },
    ]);
  });

  it('of a pair and of a text have their own fields [timeseries#points]', async () => {
    const timestamp = '2026-11-01T08:00:00+00:00';
    await apply(anna, samples('blood_pressure', ring, [{ timestamp, unit: 'mmHg', systolic: 120, diastolic: 80 }]));
    await apply(anna, samples('note', ring, [{ start: timestamp, end: timestamp, value: 'slept well' }]));
    const [pair] = await rows('/records/blood_pressure');
    expect(pair).toMatchObject({ systolic: 120, diastolic: 80, unit: 'mmHg', end_time: null, local_time: null });
    expect(pair).not.toHaveProperty('value');
    const [text] = await rows('/records/note');
    expect(text).toMatchObject({ text: 'slept well', unit: null });
  });

  it('of a source that writes local time are flagged and show it unchanged [timeseries#floating-time]', async () => {
    const timestamp = '2026-11-01T08:00:00+00:00';
    const source = { provider: 'abbott_libreview', type: 'cgm' };
    await apply(anna, samples('glucose', source, [{ timestamp, unit: 'mmol/L', value: 5 }]));
    expect(await rows('/records/glucose')).toMatchObject([
      { floating_time: true, timezone_offset: null, local_time: '2026-11-01T08:00:00.000' },
    ]);
  });

  it('of a summary show the object unchanged [summaries#sleep]', async () => {
    const object = {
      id: '00000000-0000-4000-8000-00000000000a',
      bedtime_start: '2026-11-01T22:00:00+00:00',
      bedtime_stop: '2026-11-02T06:00:00+00:00',
      calendar_date: '2026-11-02',
      timezone_offset: 3_600,
      updated_at: '2026-11-02T07:00:00.123456+00:00',
      source: ring,
      total: 28_800,
    };
    await apply(anna, mapSummaries(resourceOf('sleep'), [object]));
    expect(await rows('/records/sleep')).toEqual([
      {
        resource: 'sleep',
        id: object.id,
        time: '2026-11-01T22:00:00.000Z',
        end_time: '2026-11-02T06:00:00.000Z',
        timezone_offset: 3_600,
        local_time: '2026-11-01T23:00:00.000',
        floating_time: false,
        calendar_date: '2026-11-02',
        updated_at: '2026-11-02T07:00:00.123Z',
        source: ring,
        data: object,
        provenance: { kind: 'sync', task_id: 7, page: 2, observed_at: new Date(at).toISOString(), earlier_user: false },
      },
    ]);
  });

  it('name their message as upstream does', async () => {
    const { lane } = app.store;
    const [message] = await lane.run((tx) =>
      tx.rows<{ seq: number }>(
        `INSERT INTO messages (seq, message_id, received_at, sent_at, status, attempts, size)
         VALUES (1, 'msg_of_the_test', ?, ?, 'done', 1, 0) RETURNING seq`,
        [at, at],
      ),
    );
    await apply(anna, minutes(ring, 8), { kind: 'message', ref: message?.seq ?? 0, at });
    await apply(anna, minutes(ring, 9), { kind: 'message', ref: 1_000_000, at: at + 1 });
    expect((await rows('/records/mindfulness_minutes')).map((row) => row['provenance'])).toEqual([
      { kind: 'message', message_id: 'msg_of_the_test', observed_at: new Date(at).toISOString(), earlier_user: false },
      { kind: 'message', message_id: null, observed_at: new Date(at + 1).toISOString(), earlier_user: false },
    ]);
  });

  it('are listed oldest first, each once over all pages, even while others are stored', async () => {
    await apply(anna, minutes(ring, 1, 3, 5, 7));
    await apply(anna, minutes(watch, 1, 2, 5, 8));
    const seen: unknown[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: Answer<Page<Row>> = await read(
        `/records/mindfulness_minutes?limit=3${cursor ? `&cursor=${cursor}` : ''}`,
      );
      seen.push(...page.body.data.map((row) => [row['value'], (row['source'] as Row)['provider']]));
      cursor = page.body.next_cursor;
      await apply(anna, minutes(ring, 0));
    }
    expect(seen).toEqual([
      [1, 'oura'],
      [1, 'apple_health_kit'],
      [2, 'apple_health_kit'],
      [3, 'oura'],
      [5, 'oura'],
      [5, 'apple_health_kit'],
      [7, 'oura'],
      [8, 'apple_health_kit'],
    ]);
  });

  it.each([
    ['start=2026-11-01T05:00:00Z', [5, 7, 8]],
    ['end=2026-11-01T05:00:00%2B00:00', [1, 2, 3]],
    ['start=2026-11-01&end=2026-11-02', [1, 2, 3, 5, 7, 8]],
    ['start=2026-11-02', []],
    ['provider=oura', [1, 3, 5, 7]],
    ['source_type=watch', [2, 8]],
    ['provider=oura&source_type=watch', []],
  ])('are filtered by %s', async (query, values) => {
    await apply(anna, minutes(ring, 1, 3, 5, 7));
    await apply(anna, minutes(watch, 2, 8));
    expect((await rows(`/records/mindfulness_minutes?${query}`)).map((row) => row['value'])).toEqual(values);
  });

  it.each([
    ['provider=oura', ['a', 'c']],
    ['source_type=watch', ['b']],
    ['start=2026-11-02T00:00:00Z', ['b', 'c']],
    ['end=2026-11-02', ['a']],
  ])('of summaries are filtered by %s', async (query, ids) => {
    const night = (id: string, date: string, source: object): object => {
      return { id, bedtime_start: `${date}T00:00:00Z`, bedtime_stop: `${date}T08:00:00Z`, source };
    };
    const nights = [night('a', '2026-11-01', ring), night('b', '2026-11-02', watch), night('c', '2026-11-03', ring)];
    await apply(anna, mapSummaries(resourceOf('sleep'), nights));
    expect((await rows(`/records/sleep?${query}`)).map((row) => row['id'])).toEqual(ids);
  });

  it('are an empty list for a resource without data', async () => {
    expect((await read('/records/workout_stream')).body).toEqual({ data: [], next_cursor: null });
    expect((await read('/records/blood_pressure')).body).toEqual({ data: [], next_cursor: null });
  });

  it.each([
    ['an unknown resource', '/accounts/{anna}/records/dreams', 404, 'not_found'],
    ['an unknown account', '/accounts/nobody/records/sleep', 404, 'not_found'],
    ['an unknown filter', '/accounts/{anna}/records/sleep?colour=red', 400, 'invalid_request'],
    ['a time that is none', '/accounts/{anna}/records/sleep?start=yesterday', 400, 'invalid_request'],
    [
      'a range the wrong way round',
      '/accounts/{anna}/records/sleep?start=2026-11-02&end=2026-11-01',
      400,
      'invalid_request',
    ],
    ['too many at once', '/accounts/{anna}/records/sleep?limit=501', 400, 'invalid_request'],
    ['a cursor that is none', '/accounts/{anna}/records/sleep?cursor=abc', 400, 'invalid_request'],
    ['a provider no store can hold', '/accounts/{anna}/records/sleep?provider=a%00b', 400, 'invalid_request'],
  ])('refuse %s', async (_, path, status, code) => {
    const answer = await app.admin('GET', path.replace('{anna}', anna));
    expect([answer.status, answer.body['code']]).toEqual([status, code]);
  });

  it('refuse a cursor of another kind of list', async () => {
    await apply(anna, minutes(ring, 1, 2));
    const page = await read('/records/mindfulness_minutes?limit=1');
    expect((await read(`/records/sleep?cursor=${page.body.next_cursor}`)).status).toBe(400);
  });

  it('are hidden from a key that may not see health values, and not cached', async () => {
    expect((await app.admin('GET', `/accounts/${anna}/records/sleep`, undefined, 'viewer')).status).toBe(403);
    const answer = await app.admin('GET', `/accounts/${anna}/records/sleep`, undefined, 'reader');
    expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store']);
  });

  describe('read by their owner', () => {
    it('are the same without provenance, and hidden from others', async () => {
      await apply(anna, minutes(ring, 8));
      const own = await app.as<Page<Row>>(anna, 'GET', '/me/records/mindfulness_minutes');
      const { provenance, ...record } = (await rows('/records/mindfulness_minutes'))[0] ?? {};
      expect(provenance).toBeDefined();
      expect(own.body).toEqual({ data: [record], next_cursor: null });
      expect(own.headers['cache-control']).toBe('private, no-cache');
      const other = await app.as(newAccountId(), 'GET', '/me/records/mindfulness_minutes');
      expect([other.status, other.body]).toEqual([200, { data: [], next_cursor: null }]);
      const named = await app.as(newAccountId(), 'GET', `/me/records/mindfulness_minutes?account_id=${anna}`);
      expect(named.status).toBe(400);
    });

    it('of a resource that is not pulled are refused, until upstream sends some', async () => {
      const paths = ['/me/records/heartrate', '/me/records/heartrate?start=2026-11-01'];
      for (const path of paths) {
        const { status, body } = await app.as<Row>(anna, 'GET', path);
        expect([status, body['code']]).toEqual([409, 'not_synced']);
        expect(body['detail']).toContain('sleep, mindfulness_minutes, blood_pressure');
      }
      expect((await read('/records/heartrate')).status).toBe(409);
      expect(await rows('/records/sleep')).toEqual([]);
      const me = await app.as<Row>(anna, 'GET', '/me');
      expect(me.body['not_synced']).toContain('heartrate');
      expect(me.body['not_synced']).not.toContain('sleep');
      const point = { timestamp: '2026-11-01T08:00:00+00:00', unit: 'bpm', value: 60 };
      await apply(anna, samples('heartrate', ring, [point]));
      expect(await rows('/records/heartrate')).toHaveLength(1);
    });

    it('refuse an unknown resource with the known names, and a missing login', async () => {
      const unknown = await app.as<Row>(anna, 'GET', '/me/records/dreams');
      expect([unknown.status, unknown.body['detail']]).toEqual([404, expect.stringMatching(/heartrate.*sleep/)]);
      const close = await app.as<Row>(anna, 'GET', '/me/records/heart-rate');
      expect(close.body['detail']).toMatch(/the nearest is heart/);
      expect((await app.call('GET', '/v1/me/records/sleep')).status).toBe(401);
    });

    it.each([
      ['/me/daily?resources=steps,sleep', 'sleep has no statistics, read /records/sleep?latest_per_day=true instead'],
      ['/me/hourly?resources=sleep_cycle', 'sleep_cycle has no statistics, read /records/sleep_cycle instead'],
      ['/me/daily?resources=step', 'the nearest is steps'],
      ['/me/daily?resources=slep', 'sleep has no statistics, read /records/sleep?latest_per_day=true instead'],
      ['/me/latest?resources=body_wieght', 'the nearest is body_weight'],
    ])('name the call or the resource that was meant: %s', async (path, words) => {
      const { status, body } = await app.as<Row>(anna, 'GET', path);
      expect(status).toBe(400);
      expect(body['errors']).toEqual([{ field: 'resources', message: expect.stringMatching(words.replace('?', '.')) }]);
    });

    it('name only the nearest of a long list of values, and all of them if none is near', async () => {
      const refused = async (path: string): Promise<unknown> => (await app.admin<Row>('GET', path)).body['errors'];
      const message = expect.stringMatching(/^resource must be one of \d\d values; the nearest is sleep$/);
      const of = '/accounts/one/explain?day=2026-11-01&resource';
      expect(await refused(`${of}=slep`)).toEqual([{ field: 'resource', message }]);
      const all = expect.stringMatching(/^resource must be one of the following values: .*steps.*sleep/);
      expect(await refused(`${of}=zzz`)).toEqual([{ field: 'resource', message: all }]);
    });
  });
});

function resourceOf(name: string): NonNullable<ReturnType<typeof resourceByName>> {
  const resource = resourceByName(name);
  if (!resource) throw new TypeError('the catalogue has no such resource');
  return resource;
}
