import { type Sandbox, startSandbox } from '../../../sandbox/server.js';
import type { UpstreamClient } from '../../../src/upstream/client/upstream.client.js';
import type { WireGroup } from '../../../src/upstream/client/wire-data.js';
import { apiKey, type ClientUnderTest, clientFor, errorOf, now } from './support/client.js';

const o = { priority: 'bulk' } as const;
const unknownId = '00000000-0000-4000-8000-00000000dead';
const day = 86_400_000;
const window = { start: now - 40 * day, end: now + day };

let sandbox: Sandbox;
let underTest: ClientUnderTest;
let client: UpstreamClient;

beforeEach(async () => {
  sandbox = await startSandbox({ seed: 'upstream-client', timeScale: 0, apiKey });
  underTest = clientFor(sandbox.url);
  client = underTest.client;
});
afterEach(async () => {
  underTest.transport.onApplicationShutdown();
  await sandbox.close();
});

async function newUser(clientUserId = 'cust-1'): Promise<string> {
  const creation = await client.createUser({ client_user_id: clientUserId }, o);
  return creation.outcome === 'created' ? creation.user.user_id : creation.user_id;
}

async function connectedUser(): Promise<string> {
  const user_id = await newUser();
  await sandbox.control.connect({ user_id, provider: 'oura', history: { days: 30, per_day: 10 } });
  await sandbox.control.advance(600);
  return user_id;
}

const refused = (status: number, shape?: string) => ({
  kind: 'rejected',
  status,
  ...(shape !== undefined && { detail: { shape } }),
});

async function allGroups(userId: string, path: string): Promise<{ groups: WireGroup[]; pages: number }> {
  const groups: WireGroup[] = [];
  let cursor: string | null = null;
  let pages = 0;
  do {
    const page = await client.timeseriesPage(userId, path, { ...window, cursor }, o);
    groups.push(...page.groups);
    cursor = page.nextCursor;
    pages++;
  } while (cursor !== null && pages < 1_000);
  return { groups, pages };
}

describe('health data', () => {
  it.each(['mindfulness_minutes', 'blood_pressure'])('%s comes in pages, every point once', async (resource) => {
    const userId = await connectedUser();
    const { groups, pages } = await allGroups(userId, resource);
    const points = groups.flatMap(({ data }) => data);
    const { rows } = await sandbox.control.truth(userId, resource);
    expect(pages).toBeGreaterThan(1);
    expect(points.length).toBe(rows.length);
    expect(new Set(groups.map(({ source }) => source.provider))).toEqual(new Set(['oura']));
  });

  it('is empty without a connection and filtered by provider', async () => {
    const lonely = await newUser('lonely');
    expect(await client.timeseriesPage(lonely, 'hrv', window, o)).toEqual({ groups: [], skipped: 0, nextCursor: null });
    const userId = await connectedUser();
    const other = await client.timeseriesPage(userId, 'blood_pressure', { ...window, provider: 'fitbit' }, o);
    expect(other.groups.flatMap(({ data }) => data)).toEqual([]);
  });

  it('is refused for an unknown user, resource or cursor [timeseries#the-call]', async () => {
    const userId = await newUser();
    expect(await errorOf(client.timeseriesPage(unknownId, 'hrv', window, o))).toMatchObject(refused(404));
    expect(await errorOf(client.timeseriesPage(userId, 'no_such', window, o))).toMatchObject({ kind: 'rejected' });
    const stale = client.timeseriesPage(userId, 'hrv', { ...window, cursor: 'garbage' }, o);
    expect(await errorOf(stale)).toMatchObject({ kind: 'rejected' });
  });

  it('has summaries under their keys, by time or by day, and the bare profile [webhooks#names-of-event-types]', async () => {
    const user_id = await connectedUser();
    const list = (path: string, responseKey: string | null, dateOnly = false) =>
      client.summaryList({ userId: user_id, path, responseKey, ...window, dateOnly }, o);
    const { rows } = await sandbox.control.truth<{ id: string }>(user_id, 'sleep');
    expect(rows.length).toBeGreaterThan(0);
    expect((await list('sleep', 'sleep')).map((row) => (row as { id: string }).id).sort()).toEqual(
      rows.map(({ id }) => id).sort(),
    );
    const lunch = { timestamp: '2026-11-19T12:00:00+00:00' };
    const night = { session_start: '2026-11-18T22:00:00+00:00', session_end: '2026-11-19T06:00:00+00:00' };
    await sandbox.control.put({ user_id, provider: 'oura', resource: 'meal', summaries: [lunch] });
    await sandbox.control.put({ user_id, provider: 'oura', resource: 'sleep_cycle', summaries: [night] });
    await sandbox.control.put({ user_id, provider: 'oura', resource: 'profile', summaries: [{}] });
    expect(await list('meal', 'meals')).toHaveLength(1);
    expect(await list('sleep_cycle', 'sleep_cycle', true)).toHaveLength(1);
    expect(await list('profile', null)).toMatchObject([{ user_id }]);
    expect(await errorOf(list('sleep', 'naps'))).toMatchObject({ kind: 'contract', reason: 'missing_field' });
  });

  it('has no summaries of an unknown user and no profile where there is none [summaries#the-call]', async () => {
    const userId = await newUser();
    const sleep = { path: 'sleep', responseKey: 'sleep', ...window, dateOnly: false };
    expect(await errorOf(client.summaryList({ ...sleep, userId: unknownId }, o))).toMatchObject(refused(404));
    expect(await client.summaryList({ ...sleep, userId }, o)).toEqual([]);
    const profile = client.summaryList({ ...sleep, userId, path: 'profile', responseKey: null }, o);
    expect(await errorOf(profile)).toMatchObject(refused(404));
  });

  it('has the stream of a workout, and none of an unknown one', async () => {
    const user_id = await connectedUser();
    await sandbox.control.put({ user_id, provider: 'oura', resource: 'workouts', summaries: [{}] });
    const { rows } = await sandbox.control.truth<{ id: string }>(user_id, 'workouts');
    const [workout] = rows;
    if (!workout) throw new Error('no workout');
    expect(Object.values(await client.workoutStream(workout.id, o)).some(Array.isArray)).toBe(true);
    expect(await errorOf(client.workoutStream(unknownId, o))).toMatchObject(refused(404));
    expect(await errorOf(client.workoutStream('no-uuid', o))).toMatchObject({ kind: 'rejected' });
  });

  it('tells how its history was pulled, page by page [errors-and-limits#sizes] [introspection#pages-of-pulls]', async () => {
    const ids = [];
    for (const name of ['a', 'b', 'c']) {
      const user_id = await newUser(name);
      ids.push(user_id);
      await sandbox.control.connect({ user_id, provider: 'oura', pulls: { sleep: { outcome: 'failure' } } });
    }
    await sandbox.control.advance(3_600);
    const first = await client.historicalPulls({ userLimit: 2 }, o);
    const second = await client.historicalPulls({ userLimit: 2, cursor: first.nextCursor }, o);
    expect(second.nextCursor).toBeNull();
    expect([...first.data, ...second.data].map(({ user_id }) => user_id).sort()).toEqual(ids.sort());
    const [record] = (await client.historicalPulls({ userId: String(ids[0]), provider: 'oura' }, o)).data;
    expect(record?.provider.oura?.pulled.sleep?.status).toBe('failure');
    expect(record?.provider.oura?.pulled.blood_pressure).toMatchObject({
      status: 'success',
      timeline: { ended_at: expect.any(String) as string },
    });
    expect(await errorOf(client.historicalPulls({ provider: 'no_such' }, o))).toMatchObject(refused(422, 'validation'));
    expect(await errorOf(client.historicalPulls({ cursor: 'garbage' }, o))).toMatchObject({ kind: 'rejected' });
  });
});
