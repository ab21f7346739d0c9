import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
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
  let user_id: string;
  let workout_id: string;

  beforeEach(async () => {
    streams = await WorkoutStreams.create();
    ({ app, user_id } = streams);
    workout_id = await streams.workoutOf(user_id);
  });

  afterEach(() => app.close());

  const announce = (given: object = {}): Promise<{ message_ids: string[] }> =>
    streams.announce({ workout_id, ...given });

  it('that upstream does not know yet is asked for until it does', async () => {
    await app.sandbox.control.fault({ kind: 'status', status: 404, path: streamPath, times: 2 });
    await announce();
    await app.settle();
    expect(await streams.fetches('?status=due')).toMatchObject([{ last_error: 'unknown_workout', failures: 1 }]);
    await app.advance(300, 2);
    expect(await streams.fetches()).toMatchObject([{ status: 'done', failures: 0, last_error: null }]);
    expect(await streams.stored()).toHaveLength(1);
  });

  it('that upstream never knows is given up where an operator sees it, and tried again on a new event', async () => {
    await streams.event({ workout_id: unknownWorkout, user_id });
    await app.settle();
    await app.advance(4 * 3_600, 12);
    expect(await streams.fetches('?status=failed')).toMatchObject([
      { workout_id: unknownWorkout, last_error: 'unknown_workout', failures: 8, due_at: null },
    ]);
    expect(
      app.logs.some((line) => line.includes('workout_series.fetch_failed') && line.includes('unknown_workout')),
    ).toBe(true);
    expect(await streams.calls()).toBe(8);
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
