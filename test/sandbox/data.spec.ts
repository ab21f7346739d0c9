import { findSeriesByPath, SERIES_NAMES } from '../../sandbox/facts/catalogue.js';
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
  it('shows the configured devices of the same samples, and sends an event for each [timeseries#siblings]', async () => {
    const sandbox = await sandboxFor();
    const user_id = await connectedUser(sandbox, { provider: 'oura', days: 1, per_day: 5 });
    const resource = 'mindfulness_minutes';
    const devices = ['00000000-0000-4000-8000-0000000000d1', '00000000-0000-4000-8000-0000000000d2'];
    const rows = async () => (await sandbox.control.truth(user_id, resource)).rows;
    const bare = ({ device_id: _, ...row }: Awaited<ReturnType<typeof rows>>[number]) => row;
    const before = (await rows()).map(bare);
    const named = (device_ids: (string | null)[], count?: number) =>
      sandbox.control.nameDevices({ user_id, provider: 'oura', resource, device_ids, ...(count ? { count } : {}) });
    await named([devices[0] ?? null]);
    expect((await rows()).map(bare)).toEqual(before);
    expect(new Set((await rows()).map(({ device_id }) => device_id))).toEqual(new Set([devices[0]]));
    const { updated, message_ids } = await named(devices, 1);
    expect([updated, message_ids.length]).toEqual([2, 2]);
    const newest = (await rows()).slice(-2);
    expect(newest.map(({ device_id }) => device_id)).toEqual(devices);
    expect(newest[0]?.start).toBe(newest[1]?.start);
    expect(newest[0]?.value).not.toEqual(newest[1]?.value);
    await named([null]);
    expect((await rows()).map(bare)).toEqual(before);
  });

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

  it('keeps its position while rows are inserted before and after the cursor', async () => {
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

  it('accepts paths, not event names, and returns 404 for unknown users', async () => {
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
});

describe('new samples and edits', () => {
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

describe('determinism', () => {
  it('gives two sandboxes of one seed the same data, and another seed other data', async () => {
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
