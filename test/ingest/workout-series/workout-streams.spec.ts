import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { InboxWorker } from '../../../src/ingest/inbox/inbox.worker.js';
import { newAccountId } from '../../support/environment.js';
import type { Answer } from '../../support/http.js';
import { TestApp } from '../../support/test-app.js';
import {
  type Fetch,
  type List,
  type StoredStream,
  streamPath,
  unknownWorkout,
  WorkoutStreams,
} from './support/workout-streams.js';

describe('the stream of a workout', () => {
  let streams: WorkoutStreams;
  let app: TestApp;
  let account_id: string;
  let user_id: string;
  let workout_id: string;

  beforeEach(async () => {
    streams = await WorkoutStreams.create();
    ({ app, account_id, user_id } = streams);
    workout_id = await streams.workoutOf(user_id);
  });

  afterEach(() => app.close());

  const announce = (given: object = {}): Promise<{ message_ids: string[] }> =>
    streams.announce({ workout_id, ...given });

  it('is fetched on its event, stored unchanged, and linked to the message [webhooks#workout-stream-events]', async () => {
    const { message_ids } = await announce();
    await app.settle();
    const [expected] = await streams.truth();
    const [stored, ...others] = await streams.stored();
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
    expect(await streams.fetches()).toMatchObject([
      { workout_id, account_id, status: 'done', requests: 1, due_at: null },
    ]);
    expect(await streams.calls()).toBe(1);
  });

  it('is not fetched for the summary of a workout alone', async () => {
    await app.settle();
    expect(await streams.fetches()).toEqual([]);
    expect(await streams.calls()).toBe(0);
  });

  it('is fetched again for every new event, once for all copies of one', async () => {
    await app.sandbox.control.fault({ kind: 'duplicate' });
    await announce();
    await app.settle();
    expect(await streams.calls()).toBe(1);
    await announce({ points: 40, fields: { power: null } });
    await app.settle();
    expect(await streams.calls()).toBe(2);
    const [stored, ...others] = await streams.stored();
    expect(others).toEqual([]);
    expect(stored?.data).toMatchObject((await streams.truth())[0] ?? {});
    expect((stored?.data['time'] as unknown[]).length).toBe(40);
    expect(await streams.fetches()).toMatchObject([{ status: 'done', requests: 2 }]);
  });

  it.each([
    ['the workout', { time: null }, '2026-11-20T06:00:00.000Z'],
    ['the workout where it counts from the start', { time: [0, 5, 10] }, '2026-11-20T06:00:00.000Z'],
    ['itself in texts', { time: ['2026-11-20T06:00:03+00:00'] }, '2026-11-20T06:00:03.000Z'],
    ['itself in milliseconds', { time: [1_795_154_400_250] }, '2026-11-20T06:00:00.250Z'],
  ])('has the time of %s', async (_, fields, time) => {
    await announce({ fields });
    await app.settle();
    expect((await streams.stored()).map((stream) => stream.time)).toEqual([time]);
  });

  it('has the time of its event if neither it nor a stored workout has one', async () => {
    const late = await streams.workoutOf(user_id, false);
    await app.sandbox.control.announceStream({ user_id, workout_id: late, fields: { time: null } });
    await app.settle();
    const stored = (await streams.stored()).find(({ id }) => id === late);
    expect(stored?.time).toBe(new Date(app.clock.now()).toISOString());
  });

  it('of another user is refused without a call', async () => {
    const other = newAccountId('other');
    await app.as(other, 'GET', '/me');
    const { users } = await app.sandbox.control.truthUsers();
    const stranger = users.find(({ client_user_id }) => client_user_id === other)?.user_id ?? '';
    await announce();
    await app.settle();
    await streams.event({ workout_id, user_id: stranger }, stranger);
    await app.settle();
    expect(await streams.fetches(`?account_id=${other}`)).toMatchObject([
      { status: 'failed', last_error: 'foreign_workout' },
    ]);
    expect(await streams.stored(other)).toEqual([]);
    expect(await streams.stored()).toHaveLength(1);
    expect(await streams.calls()).toBe(1);
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
    expect(await streams.fetches()).toMatchObject([{ status: 'failed', last_error: 'account_gone' }]);
    expect(await streams.calls()).toBe(0);
  });

  it('of an event that names no workout is a visible dead message', async () => {
    const { message_id } = await streams.event({ user_id });
    await app.settle();
    const { body } = await app.admin<{ status: string; reason: string }>('GET', `/messages/${message_id}`);
    expect(body).toMatchObject({ status: 'dead', reason: 'unreadable_data' });
    expect(await streams.fetches()).toEqual([]);
  });

  it('whose fetch died with its process is fetched after the lease, without losing an event during a fetch', async () => {
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
    expect(await streams.calls()).toBe(0);
    await announce({ points: 3 });
    await app.settle();
    expect(await streams.calls()).toBe(0);
    await app.advance(301);
    expect(await streams.calls()).toBe(1);
    expect(await streams.fetches()).toMatchObject([{ status: 'done', requests: 2 }]);
    expect((await streams.stored())[0]?.data['time']).toHaveLength(3);
  });

  it('keeps the facts of its latest event when an earlier one is replayed', async () => {
    const facts = { provider_id: '1', sport: { name: 'Running', slug: 'running' } };
    const of = (name: string): object => ({ workout_id, user_id, ...facts, source: { provider: name, type: 'watch' } });
    const first = await streams.event(of('garmin'));
    await app.settle();
    await streams.event(of('polar'));
    await app.settle();
    await app.advance(60);
    await app.admin('POST', `/messages/${first.message_id}/replay`);
    await app.settle();
    expect((await streams.stored()).map(({ source }) => source.provider)).toEqual(['polar']);
  });

  it('has its fetches listed in pages for every key', async () => {
    await announce();
    await streams.event({ workout_id: unknownWorkout, user_id });
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
    expect(await streams.fetches('?account_id=nobody')).toEqual([]);
    expect((await app.admin('GET', '/sync/workout-series?status=lost')).status).toBe(400);
    expect((await app.call('GET', '/admin/v1/sync/workout-series')).status).toBe(401);
  });

  it('that upstream does not know yet is requested until it does', async () => {
    await app.sandbox.control.fault({ kind: 'status', status: 404, path: streamPath, times: 2 });
    await announce();
    await app.settle();
    expect(await streams.fetches('?status=due')).toMatchObject([{ last_error: 'unknown_workout', failures: 1 }]);
    await app.advance(300, 2);
    expect(await streams.fetches()).toMatchObject([{ status: 'done', failures: 0, last_error: null }]);
    expect(await streams.stored()).toHaveLength(1);
  });

  it('that upstream never knows is given up visibly, and tried again on a new event', async () => {
    await streams.event({ workout_id: unknownWorkout, user_id });
    await app.settle();
    expect(await streams.fetches('?status=due')).toMatchObject([{ failures: 1 }]);
    await app.store.lane.run((tx) => tx.execute('UPDATE workout_series_fetches SET attempts = 128'));
    await app.advance(8 * 3_600, 4);
    expect(await streams.fetches('?status=failed')).toMatchObject([
      { workout_id: unknownWorkout, last_error: 'unknown_workout', failures: 130, due_at: null },
    ]);
    expect(
      app.logs.some((line) => line.includes('workout_series.fetch_failed') && line.includes('unknown_workout')),
    ).toBe(true);
    expect(await streams.calls()).toBe(3);
    await streams.event({ workout_id: unknownWorkout, user_id });
    await app.settle();
    expect(await streams.fetches()).toMatchObject([{ status: 'due', failures: 1, requests: 2 }]);
  });

  it.each<[string, object, string]>([
    ['is down', { kind: 'status', status: 503 }, 'upstream_unavailable'],
    ['asks to slow down', { kind: 'status', status: 429, retry_after: 5 }, 'upstream_throttled'],
    ['answers no JSON', { kind: 'bad_json' }, 'upstream_contract'],
  ])('waits while upstream %s', async (_, fault, code) => {
    await app.sandbox.control.fault({ path: streamPath, ...fault, times: 3 } as never);
    await announce();
    await app.settle();
    expect(await streams.fetches()).toMatchObject([{ status: 'due', last_error: code }]);
    await app.advance(120, 12);
    expect(await streams.fetches()).toMatchObject([{ status: 'done', last_error: null }]);
  });
});

describe('an odd stream', () => {
  /** Upstream for one path: all else is passed on to the sandbox. */
  async function upstreamWith(
    sandboxUrl: string,
    body: () => string | Promise<string>,
  ): Promise<{ url: string; close(): Promise<void> }> {
    const server = createServer((request, response) => {
      const answer = (text: string, status = 200): void => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(text);
      };
      if (request.url?.startsWith(streamPath)) return void Promise.resolve(body()).then(answer);
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

  it('whose event arrives while an earlier fetch is given up is fetched again', async () => {
    const world = await TestApp.create();
    const bodies = [{ user_id: unknownWorkout }, { time: [1] }];
    const odd = await upstreamWith(world.sandbox.url, async () => {
      const body = bodies.shift();
      if (bodies.length > 0) await arrive();
      return JSON.stringify(body);
    });
    const env = { UPSTREAM_BASE_URL: odd.url };
    const app = await TestApp.create({ upstream: world.sandbox, clock: world.clock, env });
    const { users } = await world.sandbox.control.createUsers({ client_user_id: newAccountId() });
    const user_id = users[0]?.user_id ?? '';
    await world.sandbox.control.put({ user_id, provider: 'garmin', resource: 'workouts', summaries: [{}] });
    const arrive = async (): Promise<void> => {
      await world.sandbox.control.announceStream({ user_id });
      await world.sandbox.control.advance(0);
      await app.run(InboxWorker);
    };
    await arrive();
    await app.settle();
    const fetches = await app.admin<List<Fetch>>('GET', '/sync/workout-series');
    expect(fetches.body.data).toMatchObject([{ status: 'done', requests: 2 }]);
    await app.close();
    await odd.close();
    await world.close();
  });
});
