import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { newAccountId } from '../support/environment.js';
import type { Answer } from '../support/http.js';
import { TestApp } from '../support/test-app.js';

jest.setTimeout(30_000);

interface Fetch {
  workout_id: string;
  account_id: string;
  status: string;
  requests: number;
  failures: number;
  last_error: string | null;
  due_at: string | null;
  stored_at: string | null;
}
interface StoredStream {
  id: string;
  time: string;
  end_time: string | null;
  source: { provider: string; type: string };
  data: Record<string, unknown>;
  provenance: { kind: string; message_id: string };
}
interface List<T> {
  data: T[];
  next_cursor: string | null;
}

const unknownWorkout = '00000000-0000-4000-8000-0000000000ff';
const streamPath = '/v2/timeseries/workouts';
const eventType = 'daily.data.workout_stream.created';

describe('the stream of a workout', () => {
  let app: TestApp;
  let account_id: string;
  let user_id: string;
  let workout_id: string;

  beforeEach(async () => {
    app = await TestApp.create();
    account_id = newAccountId();
    user_id = (await app.as<{ account: { user_id: string } }>(account_id, 'GET', '/me')).body.account.user_id;
    workout_id = await workoutOf(user_id);
  });

  afterEach(() => app.close());

  async function workoutOf(owner: string, notify = true): Promise<string> {
    const id = randomUUID();
    const workout = { id, time_start: '2026-11-20T06:00:00+00:00', time_end: '2026-11-20T07:00:00+00:00' };
    const resource = 'workouts';
    await app.sandbox.control.put({ user_id: owner, provider: 'garmin', resource, summaries: [workout], notify });
    return id;
  }

  const fetches = async (query = ''): Promise<Fetch[]> =>
    (await app.admin<List<Fetch>>('GET', `/sync/workout-series${query}`, undefined, 'viewer')).body.data;
  const streams = async (account = account_id): Promise<StoredStream[]> =>
    (await app.admin<List<StoredStream>>('GET', `/accounts/${account}/records/workout_stream`)).body.data;
  const calls = async (): Promise<number> =>
    (await app.sandbox.control.calls({ path: '/v2/timeseries/workouts' })).calls.length;
  const truth = async (): Promise<Record<string, unknown>[]> =>
    (await app.sandbox.control.truth<Record<string, unknown>>(user_id, 'workout_stream')).rows;
  const event = (data: object, owner = user_id): Promise<{ message_id: string }> =>
    app.sandbox.control.send({ event_type: eventType, user_id: owner, data });
  const announce = (given: object = {}): Promise<{ message_ids: string[] }> =>
    app.sandbox.control.announceStream({ user_id, workout_id, ...given });

  it('is fetched on its event, kept as it came, and traced to the message [webhooks#workout-stream-events]', async () => {
    const { message_ids } = await announce();
    await app.settle();
    const [expected] = await truth();
    const [stored, ...others] = await streams();
    expect(others).toEqual([]);
    const { provider_id, source, sport, ...data } = stored?.data ?? {};
    expect(data).toEqual(expected);
    expect(Object.keys(data)).toHaveLength(12);
    expect([provider_id, source, sport].every(Boolean)).toBe(true);
    expect(stored).toMatchObject({
      id: workout_id,
      time: '2026-11-20T06:00:00.000Z',
      end_time: '2026-11-20T06:01:55.000Z',
      source: { provider: 'garmin' },
      provenance: { kind: 'message', message_id: message_ids[0] },
    });
    const own = await app.as<List<StoredStream>>(account_id, 'GET', '/me/records/workout_stream');
    expect(own.body.data.map(({ data: kept }) => kept)).toEqual([stored?.data]);
    expect(await fetches()).toMatchObject([{ workout_id, account_id, status: 'done', requests: 1, due_at: null }]);
    expect(await calls()).toBe(1);
  });

  it('is not fetched for the summary of a workout alone', async () => {
    await app.settle();
    expect(await fetches()).toEqual([]);
    expect(await calls()).toBe(0);
  });

  it('is fetched again for every new event, once for all copies of one', async () => {
    await app.sandbox.control.configureWebhooks({ duplicate_rate: 1 });
    await announce();
    await app.settle();
    expect(await calls()).toBe(1);
    await announce({ points: 40, fields: { power: null } });
    await app.settle();
    expect(await calls()).toBe(2);
    const [stored, ...others] = await streams();
    expect(others).toEqual([]);
    expect(stored?.data).toMatchObject((await truth())[0] ?? {});
    expect((stored?.data['time'] as unknown[]).length).toBe(40);
    expect(await fetches()).toMatchObject([{ status: 'done', requests: 2 }]);
  });

  it.each([
    ['the workout', { time: null }, '2026-11-20T06:00:00.000Z'],
    ['the workout where it counts from the start', { time: [0, 5, 10] }, '2026-11-20T06:00:00.000Z'],
    ['itself in texts', { time: ['2026-11-20T06:00:03+00:00'] }, '2026-11-20T06:00:03.000Z'],
    ['itself in milliseconds', { time: [1_795_154_400_250] }, '2026-11-20T06:00:00.250Z'],
  ])('has the time of %s', async (_, fields, time) => {
    await announce({ fields });
    await app.settle();
    expect((await streams()).map((stream) => stream.time)).toEqual([time]);
  });

  it('has the time of its event where neither it nor a workout here tells', async () => {
    const late = await workoutOf(user_id, false);
    await app.sandbox.control.announceStream({ user_id, workout_id: late, fields: { time: null } });
    await app.settle();
    const stored = (await streams()).find(({ id }) => id === late);
    expect(stored?.time).toBe(new Date(app.clock.now()).toISOString());
  });

  it('that upstream does not know yet is asked for until it does', async () => {
    await app.sandbox.control.fault({ kind: 'status', status: 404, path: streamPath, times: 2 });
    await announce();
    await app.settle();
    expect(await fetches('?status=due')).toMatchObject([{ last_error: 'unknown_workout', failures: 1 }]);
    await app.advance(300, 2);
    expect(await fetches()).toMatchObject([{ status: 'done', failures: 0, last_error: null }]);
    expect(await streams()).toHaveLength(1);
  });

  it('that upstream never knows is given up where an operator sees it, and tried again on a new event', async () => {
    await event({ workout_id: unknownWorkout, user_id });
    await app.settle();
    await app.advance(4 * 3_600, 12);
    expect(await fetches('?status=failed')).toMatchObject([
      { workout_id: unknownWorkout, last_error: 'unknown_workout', failures: 8, due_at: null },
    ]);
    expect(
      app.logs.some((line) => line.includes('workout_series.fetch_failed') && line.includes('unknown_workout')),
    ).toBe(true);
    expect(await calls()).toBe(8);
    await event({ workout_id: unknownWorkout, user_id });
    await app.settle();
    expect(await fetches()).toMatchObject([{ status: 'due', failures: 1, requests: 2 }]);
  });

  it.each<[string, object, string]>([
    ['is down', { kind: 'status', status: 503 }, 'upstream_unavailable'],
    ['asks to slow down', { kind: 'status', status: 429, retry_after: 5 }, 'upstream_throttled'],
    ['answers no JSON', { kind: 'bad_json' }, 'upstream_contract'],
  ])('waits while upstream %s', async (_, fault, code) => {
    await app.sandbox.control.fault({ path: streamPath, ...fault, times: 3 } as never);
    await announce();
    await app.settle();
    expect(await fetches()).toMatchObject([{ status: 'due', last_error: code }]);
    await app.advance(120, 12);
    expect(await fetches()).toMatchObject([{ status: 'done', last_error: null }]);
  });

  it('of another user is refused without asking upstream', async () => {
    const other = newAccountId('other');
    await app.as(other, 'GET', '/me');
    const { users } = await app.sandbox.control.truthUsers();
    const stranger = users.find(({ client_user_id }) => client_user_id === other)?.user_id ?? '';
    await event({ workout_id, user_id }, stranger);
    await app.settle();
    expect(await fetches()).toMatchObject([{ account_id: other, status: 'failed', last_error: 'foreign_user' }]);
    expect(await calls()).toBe(0);
    await announce();
    await app.settle();
    await event({ workout_id, user_id: stranger }, stranger);
    await app.settle();
    expect(await fetches(`?account_id=${other}`)).toMatchObject([{ status: 'failed', last_error: 'foreign_workout' }]);
    expect(await streams(other)).toEqual([]);
    expect(await streams()).toHaveLength(1);
    expect(await calls()).toBe(1);
  });

  it('is not fetched for an account that is being erased', async () => {
    await app.sandbox.control.configureWebhooks({ paused: true });
    await announce();
    await app.sandbox.control.configureWebhooks({ paused: false });
    await app.sandbox.control.advance(0);
    await app.pulsekeep.workers
      .all()
      .find(({ name }) => name === 'inbox')
      ?.runUntilIdle();
    await app.store.lane.run((tx) => tx.execute(`UPDATE accounts SET status = 'erasing'`));
    await app.settle();
    expect(await fetches()).toMatchObject([{ status: 'failed', last_error: 'account_gone' }]);
    expect(await calls()).toBe(0);
  });

  it('of an event that names no workout is a dead message, seen as one', async () => {
    const { message_id } = await event({ user_id });
    await app.settle();
    const { body } = await app.admin<{ status: string; reason: string }>('GET', `/messages/${message_id}`);
    expect(body).toMatchObject({ status: 'dead', reason: 'unreadable_data' });
    expect(await fetches()).toEqual([]);
  });

  it('whose fetch died with its process is fetched when the lease ends, and an event during a fetch is not lost', async () => {
    await announce();
    await app.sandbox.control.advance(0);
    await app.pulsekeep.workers
      .all()
      .find(({ name }) => name === 'inbox')
      ?.runUntilIdle();
    const leaseUntil = app.clock.now() + 300_000;
    await app.store.lane.run((tx) =>
      tx.execute(`UPDATE workout_series_fetches SET lease_owner = 'dead', lease_until = ?, due_at = ?`, [
        leaseUntil,
        leaseUntil,
      ]),
    );
    await app.settle();
    expect(await calls()).toBe(0);
    await announce({ points: 3 });
    await app.settle();
    expect(await calls()).toBe(0);
    await app.advance(301);
    expect(await calls()).toBe(1);
    expect(await fetches()).toMatchObject([{ status: 'done', requests: 2 }]);
    expect((await streams())[0]?.data['time']).toHaveLength(3);
  });

  it('shows pages of fetches, for whoever holds a key', async () => {
    await announce();
    await event({ workout_id: unknownWorkout, user_id });
    await app.settle();
    const first = await app.admin<List<Fetch>>('GET', '/sync/workout-series?limit=1', undefined, 'viewer');
    const second = await app.admin<List<Fetch>>(
      'GET',
      `/sync/workout-series?limit=1&cursor=${first.body.next_cursor}`,
      undefined,
      'viewer',
    );
    const ids = [...first.body.data, ...second.body.data].map((fetch) => fetch.workout_id);
    expect(ids.sort()).toEqual([workout_id, unknownWorkout].sort());
    expect(second.body.next_cursor).toBeNull();
    expect(await fetches('?account_id=nobody')).toEqual([]);
    expect((await app.admin('GET', '/sync/workout-series?status=lost')).status).toBe(400);
    expect((await app.call('GET', '/admin/v1/sync/workout-series')).status).toBe(401);
  });
});

describe('an odd stream', () => {
  /** Upstream for one path: all else is passed on to the sandbox. */
  async function upstreamWith(
    sandboxUrl: string,
    body: () => string,
  ): Promise<{ url: string; close(): Promise<void> }> {
    const server = createServer((request, response) => {
      const answer = (text: string, status = 200): void => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(text);
      };
      if (request.url?.startsWith(streamPath)) return answer(body());
      const headers = { 'x-service-api-key': 'sk_us_sandbox' };
      fetch(`${sandboxUrl}${request.url}`, { method: request.method ?? 'GET', headers }).then(
        async (passed) => answer(await passed.text(), passed.status),
        () => response.destroy(),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      close: async () => {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      },
    };
  }

  it.each([
    ['of somebody else', () => JSON.stringify({ user_id: unknownWorkout, time: [1] }), 'foreign_user'],
    ['larger than can be kept', () => JSON.stringify({ time: Array(9_000_000).fill(1) }), 'stream_too_large'],
    ['larger than an answer may be', () => JSON.stringify({ time: 'x'.repeat(33 * 1024 * 1024) }), 'stream_too_large'],
    ['that is a list', () => '[]', 'upstream_contract'],
  ])('%s is not stored', async (_, body, code) => {
    const world = await TestApp.create();
    const odd = await upstreamWith(world.sandbox.url, body);
    const app = await TestApp.create({
      upstream: world.sandbox,
      clock: world.clock,
      env: { UPSTREAM_BASE_URL: odd.url },
    });
    const { users } = await world.sandbox.control.createUsers({ client_user_id: newAccountId() });
    const user_id = users[0]?.user_id ?? '';
    await world.sandbox.control.put({ user_id, provider: 'garmin', resource: 'workouts', summaries: [{}] });
    await world.sandbox.control.announceStream({ user_id });
    await app.settle();
    const fetches = await app.admin<List<Fetch>>('GET', '/sync/workout-series');
    expect(fetches.body.data).toMatchObject([{ last_error: code }]);
    const path = `/accounts/${users[0]?.client_user_id}/records/workout_stream`;
    expect((await app.admin<List<StoredStream>>('GET', path)).body.data).toEqual([]);
    const said: Answer<string> = await app.call('GET', '/metrics');
    expect(said.body).toMatch(/workout_series_fetches_total\{outcome="(failed|deferred)"\} 1/);
    await app.close();
    await odd.close();
    await world.close();
  });
});
