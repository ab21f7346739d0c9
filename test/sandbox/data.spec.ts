import { findSeriesByPath, SERIES_NAMES, SUMMARY_NAMES } from '../../sandbox/facts/catalogue.js';
import type { Sandbox } from '../../sandbox/server.js';
import { call, closeAll, connectedUser, newUser, sandboxFor } from './support.js';

afterEach(closeAll);

const WINDOW = 'start_date=2026-11-01&end_date=2026-11-30';

interface WireGroup {
  source: Record<string, unknown>;
  data: { start?: string; timestamp?: string; [field: string]: unknown }[];
}

interface Page {
  groups: Record<string, WireGroup[]>;
  next: string | null;
  next_cursor: string | null;
}

async function page(sandbox: Sandbox, path: string, cursor?: string | null): Promise<Page> {
  const rest = cursor ? `&next_cursor=${encodeURIComponent(cursor)}` : '';
  const answer = await call(sandbox, `GET ${path}?${WINDOW}${rest}`);
  expect(answer.status).toBe(200);
  return answer.body as Page;
}

function timesOf({ groups }: Page): string[] {
  return Object.values(groups).flatMap((list) =>
    list.flatMap((group) => group.data.map((point) => String(point.start ?? point.timestamp))),
  );
}

async function allTimes(
  sandbox: Sandbox,
  path: string,
  between: () => Promise<unknown> = async () => undefined,
): Promise<string[]> {
  const times: string[] = [];
  let cursor: string | null = null;
  do {
    const next: Page = await page(sandbox, path, cursor);
    times.push(...timesOf(next));
    cursor = next.next_cursor;
    await between();
  } while (cursor !== null);
  return times;
}

describe('timeseries of the sandbox', () => {
  it('pages through everything once, both cursor fields alike, sources repeated over pages [timeseries#paging]', async () => {
    const sandbox = await sandboxFor();
    await sandbox.control.configure({ page_size: 7 });
    const user_id = await connectedUser(sandbox, { provider: 'apple_health_kit', days: 3, per_day: 12 });
    const path = `/v2/timeseries/${user_id}/mindfulness_minutes/grouped`;
    const first = await page(sandbox, path);
    expect(first.next).toBe(first.next_cursor);
    const times = await allTimes(sandbox, path);
    const { rows } = await sandbox.control.truth(user_id, 'mindfulness_minutes');
    expect(rows).toHaveLength(36);
    expect([...times].sort()).toEqual(rows.map((row) => row.start).sort());
  });

  it('keeps its place while rows are inserted before and after the cursor', async () => {
    const sandbox = await sandboxFor();
    await sandbox.control.configure({ page_size: 5 });
    const user_id = await connectedUser(sandbox, { days: 2, per_day: 15 });
    const before = (await sandbox.control.truth(user_id, 'blood_pressure')).rows.map((row) => row.start);
    let minute = 0;
    const times = await allTimes(sandbox, `/v2/timeseries/${user_id}/blood_pressure/grouped`, () => {
      minute += 1;
      const at = (day: string): string => `2026-11-${day}T00:${String(minute).padStart(2, '0')}:01Z`;
      const points = [at('02'), at('19')].map((timestamp) => ({ timestamp, systolic: 120, diastolic: 80 }));
      return sandbox.control.put({ user_id, provider: 'withings', resource: 'blood_pressure', points });
    });
    expect(new Set(times).size).toBe(times.length);
    expect(times).toEqual(expect.arrayContaining(before));
  });

  it('refuses a cursor of another query and a tampered one', async () => {
    const sandbox = await sandboxFor();
    await sandbox.control.configure({ page_size: 5 });
    const user_id = await connectedUser(sandbox);
    const path = `/v2/timeseries/${user_id}/blood_pressure/grouped`;
    const { next_cursor: cursor } = await page(sandbox, path);
    for (const query of [
      `${WINDOW}&provider=withings&next_cursor=${cursor}`,
      `${WINDOW}&next_cursor=x${cursor}`,
      `${WINDOW}&cursor=zzz`,
    ]) {
      expect((await call(sandbox, `GET ${path}?${query}`)).status).toBe(422);
    }
    expect((await call(sandbox, `GET ${path}?${WINDOW}&cursor=${cursor}`)).status).toBe(200);
  });

  it('includes both ends of the window and reads a bare end date as 23:59:59 [timeseries#dates]', async () => {
    const sandbox = await sandboxFor();
    const user_id = await newUser(sandbox);
    const points = ['2026-11-03T00:00:00Z', '2026-11-03T23:59:59Z', '2026-11-04T00:00:00Z'].map((timestamp) => ({
      timestamp,
      value: 61.5,
    }));
    await sandbox.control.put({ user_id, provider: 'oura', resource: 'heartrate', points });
    const path = `/v2/timeseries/${user_id}/heartrate/grouped`;
    const count = async (query: string): Promise<number> =>
      timesOf((await call(sandbox, `GET ${path}?${query}`)).body as Page).length;
    expect(await count('start_date=2026-11-03&end_date=2026-11-03')).toBe(2);
    expect(await count('start_date=2026-11-03T23:59:59Z&end_date=2026-11-04T00:00:00%2B00:00')).toBe(2);
    expect(await count('start_date=2026-11-03')).toBe(3);
    expect(await count('start_date=2026-11-03&provider=garmin')).toBe(0);
  });

  it.each([
    ['', 'start_date', 'missing'],
    ['start_date=yesterday', 'start_date', 'datetime_parsing'],
    ['start_date=2026-11-01&limit=5', 'limit', 'extra_forbidden'],
  ])('refuses the query %j', async (query, field, type) => {
    const sandbox = await sandboxFor();
    const user_id = await newUser(sandbox);
    const answer = await call(sandbox, `GET /v2/timeseries/${user_id}/hrv/grouped?${query}`);
    expect([answer.status, answer.body.detail[0].loc, answer.body.detail[0].type]).toEqual([
      422,
      ['query', field],
      type,
    ]);
  });

  it('knows paths, not event names, and answers 404 for unknown users', async () => {
    const sandbox = await sandboxFor();
    const user_id = await newUser(sandbox);
    expect(
      (await call(sandbox, `GET /v2/timeseries/${user_id}/body_weight/grouped?start_date=2026-11-01`)).status,
    ).toBe(200);
    expect((await call(sandbox, `GET /v2/timeseries/${user_id}/weight/grouped?start_date=2026-11-01`)).status).toBe(
      404,
    );
    const unknown = '00000000-0000-4000-8000-00000000dead';
    expect((await call(sandbox, `GET /v2/timeseries/${unknown}/hrv/grouped?start_date=2026-11-01`)).status).toBe(404);
  });

  it('serves every timeseries with the fields of its family [timeseries#points]', async () => {
    const sandbox = await sandboxFor();
    const user_id = await connectedUser(sandbox, { resources: [...SERIES_NAMES], days: 1, per_day: 4 });
    for (const name of SERIES_NAMES) {
      const { groups } = await page(sandbox, `/v2/timeseries/${user_id}/${name}/grouped`);
      const points = (groups.withings ?? []).flatMap((group) => group.data);
      expect([name, points.length]).toEqual([name, 4]);
      const resource = findSeriesByPath(name);
      for (const point of points) {
        expect(point.unit).toBe(resource?.unit);
        if (resource?.family === 'pair')
          expect(point).toMatchObject({ systolic: expect.any(Number), diastolic: expect.any(Number) });
        else expect(typeof point.value).toBe(resource?.family === 'text' ? 'string' : 'number');
        if (resource?.family === 'interval') expect(String(point.end) > String(point.start)).toBe(true);
      }
    }
  });

  it('leaves the deprecated timestamp out of some interval points [timeseries#sparse-examples]', async () => {
    const sandbox = await sandboxFor();
    const user_id = await connectedUser(sandbox);
    const { groups } = await page(sandbox, `/v2/timeseries/${user_id}/mindfulness_minutes/grouped`);
    const withTimestamp = (groups.withings ?? []).flatMap((group) => group.data.map((point) => 'timestamp' in point));
    expect(new Set(withTimestamp)).toEqual(new Set([true, false]));
  });
});

interface Night {
  bedtime_start: string;
  bedtime_stop: string;
  duration: number;
  total: number;
  rem: number;
  light: number;
  deep: number;
}

describe('summaries of the sandbox', () => {
  const keys: Record<string, string> = { meal: 'meals' };

  it('serves every summary under its key with id, user, source and version [summaries#other-summaries]', async () => {
    const sandbox = await sandboxFor();
    const user_id = await connectedUser(sandbox, { provider: 'oura', resources: [...SUMMARY_NAMES], days: 2 });
    for (const name of SUMMARY_NAMES.filter((each) => each !== 'profile')) {
      const { body } = await call(sandbox, `GET /v2/summary/${name}/${user_id}?${WINDOW}`);
      const rows = body[keys[name] ?? name];
      expect([name, rows.length]).toEqual([name, 2]);
      expect(rows[0]).toMatchObject({
        id: expect.any(String),
        user_id,
        source: { provider: 'oura' },
        updated_at: expect.any(String),
      });
    }
    const profile = (await call(sandbox, `GET /v2/summary/profile/${user_id}`)).body;
    expect(profile).toMatchObject({ user_id, source: { provider: 'oura' } });
    expect((await call(sandbox, `GET /v2/summary/profile/${user_id}?start_date=2026-11-01`)).status).toBe(422);
  });

  it('keeps the arithmetic of sleep [summaries#sleep]', async () => {
    const sandbox = await sandboxFor();
    const user_id = await connectedUser(sandbox, { provider: 'oura', days: 20 });
    const { body } = await call(sandbox, `GET /v2/summary/sleep/${user_id}?${WINDOW}`);
    const sleep = body.sleep as Night[];
    for (const night of sleep) {
      expect(night.duration).toBe((Date.parse(night.bedtime_stop) - Date.parse(night.bedtime_start)) / 1000);
      expect(night.total).toBe(night.rem + night.light + night.deep);
    }
    const values = sleep.flatMap((night) => Object.values({ ...night, sleep_stream: 0 }));
    expect(values).toContain(null);
  });

  it('takes dates only where upstream does [summaries#date-only-calls]', async () => {
    const sandbox = await sandboxFor();
    const user_id = await newUser(sandbox);
    const path = `/v2/summary/sleep_cycle/${user_id}`;
    expect((await call(sandbox, `GET ${path}?start_date=2026-11-01`)).status).toBe(200);
    expect((await call(sandbox, `GET ${path}?start_date=2026-11-01T00:00:00Z`)).status).toBe(422);
    expect((await call(sandbox, `GET /v2/summary/sleep/${user_id}?start_date=2026-11-01T00:00:00Z`)).status).toBe(200);
  });

  it('streams a workout in eleven parallel arrays [summaries#workout-stream]', async () => {
    const sandbox = await sandboxFor();
    const user_id = await connectedUser(sandbox, { provider: 'garmin', resources: ['workouts'], days: 1 });
    const [workout] = (await sandbox.control.truth<{ id: string }>(user_id, 'workouts')).rows;
    const stream = (await call(sandbox, `GET /v2/timeseries/workouts/${workout?.id}/stream`)).body as Record<
      string,
      unknown[]
    >;
    expect(Object.keys(stream)).toHaveLength(11);
    expect(new Set(Object.values(stream).map((column) => column.length)).size).toBe(1);
  });
});

describe('news and edits', () => {
  it('fires created for new keys and updated for the same key, and replaces the value', async () => {
    const sandbox = await sandboxFor();
    const user_id = await connectedUser(sandbox, { days: 1, per_day: 3 });
    const news = { user_id, provider: 'withings', resource: 'blood_pressure' };
    const point = { timestamp: '2026-11-20T08:00:00Z', systolic: 120, diastolic: 80 };
    expect(await sandbox.control.put({ ...news, points: [point] })).toMatchObject({ created: 1, updated: 0 });
    expect(await sandbox.control.put({ ...news, points: [{ ...point, systolic: 125 }] })).toMatchObject({
      created: 0,
      updated: 1,
    });
    const types = (await sandbox.control.messages({ user_id })).messages.map(({ event_type }) => event_type);
    expect(types.slice(-2)).toEqual(['daily.data.blood_pressure.created', 'daily.data.blood_pressure.updated']);
    const { rows } = await sandbox.control.truth(user_id, 'blood_pressure');
    expect(rows.at(-1)).toMatchObject({ start: '2026-11-20T08:00:00+00:00', value: { systolic: 125, diastolic: 80 } });
    expect(rows).toHaveLength(4);
  });

  it('moves updated_at and keeps created_at when a summary is edited', async () => {
    const sandbox = await sandboxFor();
    const user_id = await connectedUser(sandbox, { provider: 'oura', days: 1 });
    const [before] = (await sandbox.control.truth<Record<string, string>>(user_id, 'sleep')).rows;
    await sandbox.control.edit({ user_id, resource: 'sleep' });
    const [after] = (await sandbox.control.truth<Record<string, string>>(user_id, 'sleep')).rows;
    expect(after?.id).toBe(before?.id);
    expect(after?.created_at).toBe(before?.created_at);
    expect(Date.parse(after?.updated_at ?? '')).toBeGreaterThan(Date.parse(before?.updated_at ?? ''));
  });

  it('sends weight under its event name', async () => {
    const sandbox = await sandboxFor();
    const user_id = await newUser(sandbox);
    const points = [{ timestamp: '2026-11-20T08:00:00Z', value: 70.4 }];
    await sandbox.control.put({ user_id, provider: 'withings', resource: 'body_weight', points });
    expect((await sandbox.control.messages()).messages.map(({ event_type }) => event_type)).toEqual([
      'daily.data.weight.created',
    ]);
  });
});

describe('historical pulls', () => {
  async function statusOf(sandbox: Sandbox, resource: string): Promise<Record<string, unknown>> {
    const { data } = (await call(sandbox, 'GET /v2/introspect/historical_pull')).body;
    return data[0].provider.oura.pulled[resource] as Record<string, unknown>;
  }

  it('go from scheduled over retrying to success, and data shows only then [introspection#pull-statuses]', async () => {
    const sandbox = await sandboxFor();
    const user_id = await newUser(sandbox);
    const pulls = { sleep: { retries: 1 }, '*': {} };
    await sandbox.control.connect({
      user_id,
      provider: 'oura',
      resources: ['sleep'],
      history: { days: 3, per_day: 1 },
      pulls,
    });
    const seen: unknown[] = [(await statusOf(sandbox, 'sleep')).status];
    for (const seconds of [5, 30, 60]) {
      await sandbox.control.advance(seconds);
      seen.push((await statusOf(sandbox, 'sleep')).status);
    }
    expect(seen).toEqual(['scheduled', 'in_progress', 'retrying', 'in_progress']);
    expect((await sandbox.control.truth(user_id, 'sleep')).rows).toEqual([]);
    await sandbox.control.advance(30);
    expect(await statusOf(sandbox, 'sleep')).toMatchObject({
      status: 'success',
      days_with_data: 3,
      error_details: null,
    });
    expect((await sandbox.control.truth(user_id, 'sleep')).rows).toHaveLength(3);
    const events = (await sandbox.control.messages({ user_id })).messages.map(({ event_type }) => event_type);
    expect(events).toEqual(['provider.connection.created', 'provider.device.created', 'historical.data.sleep.created']);
  });

  it('can fail without an event, succeed with nothing, and succeed later [webhooks#failed-historical-pulls]', async () => {
    const sandbox = await sandboxFor();
    const user_id = await newUser(sandbox);
    await sandbox.control.connect({
      user_id,
      provider: 'oura',
      resources: ['sleep', 'body_weight'],
      not_pulled: ['activity'],
      history: { days: 2, per_day: 1 },
      pulls: { sleep: { outcome: 'failure' }, body_weight: { empty: true } },
    });
    await sandbox.control.advance(600);
    expect(await statusOf(sandbox, 'sleep')).toMatchObject({ status: 'failure', error_details: 'non_retriable_error' });
    expect(await statusOf(sandbox, 'weight')).toMatchObject({ status: 'success', days_with_data: 0 });
    const { data } = (await call(sandbox, `GET /v2/introspect/historical_pull?user_id=${user_id}&provider=oura`)).body;
    expect(data[0].provider.oura.not_pulled).toEqual(['activity']);
    await sandbox.control.pullAgain({ user_id, provider: 'oura', resources: ['sleep'] });
    await sandbox.control.advance(600);
    expect((await sandbox.control.truth(user_id, 'sleep')).rows).toHaveLength(2);
  });

  it('are paged by users, with the text None at the end of the deprecated cursor [introspection#pages-of-pulls]', async () => {
    const sandbox = await sandboxFor({ users: 2 });
    const user_id = await connectedUser(sandbox, { provider: 'oura' });
    const seen: string[] = [];
    let cursor = '';
    for (let guard = 0; guard < 5; guard += 1) {
      const { body } = await call(sandbox, `GET /v2/introspect/historical_pull?user_limit=1&next_cursor=${cursor}`);
      seen.push(...(body.data as { user_id: string }[]).map((record) => record.user_id));
      if (body.next_cursor === null) {
        expect(body.next).toBe('None');
        break;
      }
      cursor = body.next_cursor;
    }
    expect(seen).toEqual([user_id]);
  });

  it('show ongoing ingestion beside history [introspection#ingestion-state]', async () => {
    const sandbox = await sandboxFor();
    await connectedUser(sandbox, { provider: 'oura', days: 2 });
    const { data } = (await call(sandbox, 'GET /v2/introspect/resources')).body;
    expect(data[0].provider.oura.sleep).toMatchObject({ last_attempt: { status: 'success' }, sent_count: 2 });
  });
});

describe('determinism', () => {
  it('gives two sandboxes of one seed the same truth, and another seed another one', async () => {
    const truth = async (seed: string): Promise<string> => {
      const sandbox = await sandboxFor({ seed });
      const user_id = await connectedUser(sandbox, { provider: 'apple_health_kit' });
      await sandbox.control.edit({ user_id, resource: 'blood_pressure', count: 3 });
      const names = ['sleep', 'mindfulness_minutes', 'blood_pressure'];
      return JSON.stringify(await Promise.all(names.map((name) => sandbox.control.truth(user_id, name))));
    };
    const [first, second, other] = [await truth('one'), await truth('one'), await truth('two')];
    expect(second).toBe(first);
    expect(other).not.toBe(first);
  });
});
