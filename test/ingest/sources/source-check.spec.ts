import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Account, day, type SyncService, SyncWorld, start } from '../pulls/support/sync-world.js';

let world: SyncWorld;
let service: SyncService;
let account: Account;

beforeEach(async () => {
  world = await SyncWorld.create();
  service = world.service;
  account = await world.account(service);
});
afterEach(() => world.close());

/** Upstream's side alone: whatever it says of this is lost. */
async function connect(options: object = {}): Promise<void> {
  const history = { days: 20, per_day: 5 };
  await world.sandbox.control.connect({
    user_id: account.userId,
    provider: 'oura',
    history,
    notify: false,
    ...options,
  });
}

async function look(): Promise<void> {
  await service.write((tx) => tx.execute('UPDATE source_polls SET due_at = ?', [world.clock.now()]));
  await service.settle();
}

async function nextLook(): Promise<number> {
  const [row] = await world.store.reader.rows<{ due_at: number }>('SELECT due_at FROM source_polls');
  return ((row?.due_at ?? 0) - world.clock.now()) / 1_000;
}

interface StoredDevice {
  readonly device_id: string;
  readonly missed_at: number | null;
  readonly gone_at: number | null;
}

async function deviceCalls(): Promise<number> {
  const { calls } = await world.sandbox.control.calls({ path: '/v2/user/:user_id/device' });
  return calls.length;
}

function devices(): Promise<StoredDevice[]> {
  return world.store.reader.rows('SELECT device_id, missed_at, gone_at FROM devices');
}

async function states(): Promise<Record<string, string>> {
  const found = await service.history.states(account.ref);
  return Object.fromEntries(found.map(({ provider, resource, state }) => [`${provider} ${resource}`, state]));
}

const each = (state: string) => ({
  'oura blood_pressure': state,
  'oura mindfulness_minutes': state,
  'oura sleep': state,
});

describe('a poll of the sources of an account', () => {
  it('finds that a device is gone after two lists of devices, hours apart, did not show it [connections#devices]', async () => {
    await connect();
    const watch = { user_id: account.userId, provider: 'oura', source_type: 'watch', notify: false };
    const device_id = String((await world.sandbox.control.addDevice(watch))['id']);
    await service.write((tx) =>
      tx.execute('INSERT INTO devices (account_id, device_id, provider, observed_at) VALUES (?, ?, ?, ?)', [
        ...[account.ref, device_id, 'oura', world.clock.now()],
      ]),
    );
    await world.sandbox.control.removeDevice(account.userId, device_id);
    await look();
    expect(await deviceCalls()).toBe(0);
    for (const hours of [6 * 24, 25, 5, 2]) {
      await world.advance(hours * 3_600);
      await look();
    }
    const gone = (await devices()).find((device) => device.device_id === device_id);
    expect((gone?.gone_at ?? 0) - (gone?.missed_at ?? 0)).toBeGreaterThanOrEqual(6 * 3_600_000);
    expect(await deviceCalls()).toBe(2);
  });

  it('finds a connection and a finished history whose events were lost, and stores all records', async () => {
    await connect();
    await look();
    expect(await states()).toEqual(each('pending'));
    expect(await nextLook()).toBe(30);
    await world.advance(40);
    await service.settle();
    expect(await states()).toEqual(each('complete'));
    const { stored, upstream } = await world.samples(account, 'mindfulness_minutes');
    expect(stored).toEqual(upstream);
    expect(stored).toHaveLength(100);
    const summaries = await world.summaries(account, 'sleep');
    expect(summaries.stored).toEqual(summaries.upstream);
    expect(await nextLook()).toBeGreaterThan(3 * 3_600);
  });

  it('is repeated soon at first and seldom later while upstream still pulls', async () => {
    await world.sandbox.control.configure({ pull_duration_seconds: 100_000 });
    await connect();
    await look();
    const delays = [];
    for (let round = 0; round < 6; round++) {
      delays.push(await nextLook());
      await world.advance(delays.at(-1) ?? 0);
      await service.sourceCheck.runUntilIdle();
    }
    expect(delays[0]).toBe(30);
    for (const [index, delay] of delays.entries()) expect(delay).toBeGreaterThanOrEqual(delays[index - 1] ?? 0);
    expect(Math.max(...delays)).toBeLessThanOrEqual(900);
  });

  it('draws no conclusion from a success without data, and makes no pull for it [introspection#records-of-pulls]', async () => {
    await connect({ history: undefined, pulls: { '*': { empty: true } } });
    await world.advance(60);
    await look();
    expect(await states()).toEqual(each('unknown'));
    expect((await world.tasks()).filter(({ origin }) => origin === 'historical')).toEqual([]);
  });

  it('shows a failure, and never treats records of other pulls as the history [introspection#pull-errors] [webhooks#failed-historical-pulls]', async () => {
    await connect({ pulls: { sleep: { outcome: 'failure', error: 'unexpected_error' } } });
    await world.advance(60);
    await look();
    expect(await states()).toEqual({ ...each('complete'), 'oura sleep': 'failed' });
    const [, , sleep] = await world.pulls();
    expect(sleep).toMatchObject({
      resource: 'sleep',
      status: 'failure',
      error_details: 'unexpected_error',
      task_id: null,
    });
  });

  it('keeps retries pending until they succeed [introspection#pull-errors] [introspection#pull-statuses]', async () => {
    await connect({ pulls: { '*': { retries: 1 } } });
    await world.advance(40);
    await look();
    expect(await states()).toEqual(each('pending'));
    expect((await world.pulls())[0]).toMatchObject({
      status: 'retrying',
      error_details: 'provider_rate_limit_exceeded',
    });
    await world.advance(120);
    await service.settle();
    expect(await states()).toEqual(each('complete'));
  });

  it('records that a resource is not synced, without further effect [introspection#resource-names]', async () => {
    await connect({ resources: ['body_weight'] });
    await world.advance(60);
    await look();
    const [pull] = await world.pulls();
    expect(pull).toMatchObject({ resource: 'weight', status: 'success', task_id: null });
    expect((await world.tasks()).filter(({ resource }) => resource === 'body_weight')).toEqual([]);
    expect((await world.streams()).map(({ resource }) => resource)).not.toContain('body_weight');
    const [owner] = await world.store.reader.rows<{ account_id: string }>(
      'SELECT account_id FROM accounts WHERE id = ?',
      [account.ref],
    );
    const accountId = owner?.account_id ?? '';
    const path = `/accounts/${accountId}/coverage?resource=body_weight`;
    const { body } = await service.app.admin<{ data: { runs: { reason: string }[] }[] }>('GET', path);
    expect(body.data[0]?.runs.map(({ reason }) => reason)).toContain('not_synced');
    const me = await service.app.as(accountId, 'GET', '/me');
    expect(me.body['resources']).toContainEqual({
      ...{ resource: 'body_weight', provider: 'oura', newest_at: null, changed_at: null, history: 'not_synced' },
    });
  });

  it('is believed after one that was made while the clock was a day ahead', async () => {
    await world.sandbox.control.configure({ pull_duration_seconds: 1_000 });
    await connect();
    world.clock.step(day);
    await look();
    world.clock.step(-day);
    await world.advance(2_000);
    await look();
    expect(await states()).toEqual(each('complete'));
  });

  it('pauses streams that are in error or gone, and resumes them when they work again', async () => {
    await connect();
    await look();
    await world.sandbox.control.breakConnection({
      user_id: account.userId,
      provider: 'oura',
      error_type: 'token_refresh_failed',
    });
    await world.advance(1);
    await look();
    expect((await world.streams()).map(({ status }) => status)).toEqual(Array(3).fill('paused'));
    await connect();
    await world.advance(1);
    await look();
    expect((await world.streams()).map(({ status }) => status)).toEqual(Array(3).fill('active'));
  });

  it('changes nothing if nothing changed [introspection#pull-statuses]', async () => {
    await connect();
    await world.advance(60);
    await look();
    const [pulls, tasks] = [await world.pulls(), (await world.tasks()).length];
    await world.advance(30);
    await look();
    expect(await world.pulls()).toEqual(pulls);
    expect(await world.tasks()).toHaveLength(tasks);
  });

  it.each([
    [500, 'upstream_unavailable'],
    [404, 'unknown_user'],
  ])('is deferred when upstream responds with %i', async (status, error_code) => {
    await world.sandbox.control.fault({ kind: 'status', status, path: '/v2/user/providers', times: 1 });
    await look();
    expect(await nextLook()).toBeGreaterThan(0);
    const [check] = await world.store.reader.rows<object>('SELECT error_code, lease_owner FROM source_polls');
    expect(check).toEqual({ error_code, lease_owner: null });
  });

  it('of several accounts requests the pulls of each separately [introspection#historical-pulls]', async () => {
    const others = [await world.account(service, 'second'), await world.account(service, 'third')];
    const { control } = world.sandbox;
    for (const { userId: user_id } of [account, ...others]) {
      await control.connect({ user_id, provider: 'oura', history: { days: 2, per_day: 2 }, notify: false });
    }
    const calls = async () =>
      (await control.calls({ path: '/v2/introspect' })).calls.map(({ query_keys }) => query_keys);
    await control.clearCalls();
    await look();
    expect(await calls()).toEqual([['user_id'], ['user_id'], ['user_id']]);
    const pulls = await world.store.reader.rows<{ account_id: number }>('SELECT account_id FROM historical_pulls');
    expect(new Set(pulls.map(({ account_id }) => account_id))).toEqual(
      new Set([account, ...others].map(({ ref }) => ref)),
    );
  });

  it('ignores pulls of other users [introspection#records-of-pulls]', async () => {
    const provider = { oura: { pulled: { sleep: { status: 'success' } }, not_pulled: [] } };
    const stranger = { user_id: '00000000-0000-4000-8000-00000000dead', provider };
    const own = { user_id: account.userId.toUpperCase(), provider: { fitbit: provider.oura } };
    const upstream = createServer(({ url = '' }, response) => {
      const body = url.startsWith('/v2/introspect') ? { data: [stranger, own], next_cursor: null } : { providers: [] };
      response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    });
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    const { port } = upstream.address() as AddressInfo;
    service = await world.another({ UPSTREAM_BASE_URL: `http://127.0.0.1:${port}` });
    await service.write((tx) => tx.execute('UPDATE source_polls SET due_at = ?', [world.clock.now()]));
    await service.sourceCheck.runUntilIdle();
    upstream.closeAllConnections();
    await new Promise((resolve) => upstream.close(resolve));
    expect((await world.pulls()).map(({ provider: slug }) => slug)).toEqual(['fitbit']);
  });

  it('gives up a list whose cursors form a circle [introspection#pages-of-pulls]', async () => {
    await world.sandbox.control.fault({ kind: 'repeat_cursor', path: '/v2/introspect' });
    await look();
    expect((await world.sandbox.control.calls({ path: '/v2/introspect' })).calls.length).toBeLessThan(3);
  });
});

describe('the event of a finished history', () => {
  const event = { provider: 'oura', eventResource: 'sleep', start: start - 20 * 86_400_000, end: start };

  it('requests its range once, whatever introspection reports later [webhooks#historical-completion]', async () => {
    await connect();
    await world.advance(60);
    const [before] = (await world.sandbox.control.truthUsers()).users;
    expect(before?.providers).toEqual(['oura']);
    await look();
    const known = (await world.pulls()).find(({ resource }) => resource === 'sleep');
    await service.write((tx) =>
      service.history.completed(tx, account.ref, {
        ...event,
        start: known?.range_start ?? 0,
        end: known?.range_end ?? 0,
        at: world.clock.now(),
      }),
    );
    await service.settle();
    const historical = (await world.tasks()).filter(
      (task) => task.origin === 'historical' && task.resource === 'sleep',
    );
    expect(historical).toHaveLength(1);
    expect((await world.pulls()).find(({ resource }) => resource === 'sleep')).toEqual(known);
  });

  it('is pending until its range is stored, and alone proves no history [webhooks#historical-completion]', async () => {
    await service.write((tx) => service.history.completed(tx, account.ref, { ...event, at: start }));
    expect(await states()).toEqual({ 'oura sleep': 'pending' });
    await service.backfill.runUntilIdle();
    expect(await states()).toEqual({ 'oura sleep': 'unknown' });
  });

  it('that could not be fetched is failed until a later pull covers its range', async () => {
    await world.sandbox.control.fault({ kind: 'status', status: 422, path: '/v2/summary/sleep' });
    await service.write((tx) => service.history.completed(tx, account.ref, { ...event, at: start }));
    await service.backfill.runUntilIdle();
    expect(await states()).toEqual({ 'oura sleep': 'failed' });
    await world.sandbox.control.clearFaults();
    await service.write((tx, sync) =>
      sync.requestAccount(tx, account.ref, { resources: ['sleep'], start: start - 10 * 86_400_000 }),
    );
    await service.backfill.runUntilIdle();
    expect(await states()).toEqual({ 'oura sleep': 'failed' });
    await service.write((tx, sync) =>
      sync.requestAccount(tx, account.ref, { resources: ['sleep'], start: start - 30 * 86_400_000 }),
    );
    await service.backfill.runUntilIdle();
    expect(await states()).toEqual({ 'oura sleep': 'unknown' });
  });

  it('of an older pull than the known one is fetched as well', async () => {
    await world.sandbox.control.configure({ pull_duration_seconds: 1_000 });
    await connect();
    await world.advance(10);
    await look();
    await service.write((tx) => service.history.completed(tx, account.ref, { ...event, at: start }));
    expect((await world.tasks()).filter(({ origin }) => origin === 'historical')).toHaveLength(1);
    expect((await states())['oura sleep']).toBe('pending');
  });
});
