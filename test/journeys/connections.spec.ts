import { type AdminRole, newAccountId } from '../support/environment.js';
import { TestApp } from '../support/test-app.js';

interface Source {
  provider: string;
  status: string;
  error_type: string | null;
  error_at: string | null;
  connected_at: string | null;
  last_data_at: string | null;
}
interface Device {
  device_id: string;
  provider: string;
  source_type: string | null;
  model: string | null;
}

const hour = 3_600;
const day = 24 * hour;

describe('connections of an account', () => {
  let app: TestApp;
  let account_id: string;
  let user_id: string;

  beforeEach(async () => {
    app = await TestApp.create();
    account_id = newAccountId();
    user_id = await app.connect(account_id, 'oura', { days: 2, per_day: 4 });
    await app.advance(900, 5);
  });

  afterEach(() => app.close());

  const detail = async (role: AdminRole = 'viewer'): Promise<{ connections: Source[]; devices: Device[] }> => {
    const path = `/accounts/${account_id}`;
    return (await app.admin<{ connections: Source[]; devices: Device[] }>('GET', path, undefined, role)).body;
  };
  const source = async (provider = 'oura'): Promise<Source | undefined> =>
    (await detail()).connections.find((each) => each.provider === provider);
  const statuses = async (): Promise<Record<string, string>> =>
    Object.fromEntries((await detail()).connections.map(({ provider, status }) => [provider, status]));
  const breakIt = (provider = 'oura', error_type = 'token_refresh_failed') =>
    app.sandbox.control.breakConnection({ user_id, provider, error_type });
  const reconnect = (provider = 'oura') => app.sandbox.control.connect({ user_id, provider });
  const pulls = async (): Promise<number> => {
    const paths = ['/v2/timeseries', '/v2/summary'];
    const found = await Promise.all(paths.map((path) => app.sandbox.control.calls({ path })));
    return found.reduce((sum, { calls }) => sum + calls.length, 0);
  };
  /** All that happens at upstream from here on is found out by looking alone. */
  const deaf = () => app.sandbox.control.fault({ kind: 'lose' });

  it('show when each last delivered data, to operators and to the owner', async () => {
    const newest: string[] = [];
    for (const resource of ['sleep', 'mindfulness_minutes', 'blood_pressure']) {
      const path = `/me/records/${resource}?limit=500`;
      const { body } = await app.as<{ data: { time: string }[] }>(account_id, 'GET', path);
      newest.push(...body.data.map(({ time }) => time));
    }
    expect((await source())?.last_data_at).toBe(newest.sort().at(-1));
    await app.sandbox.control.connect({ user_id, provider: 'withings' });
    await app.settle();
    expect(await source('withings')).toMatchObject({ status: 'connected', last_data_at: null });
    const point = { timestamp: '2026-11-20T11:59:00+00:00', value: 61 };
    await app.sandbox.control.put({ user_id, provider: 'withings', resource: 'heartrate', points: [point] });
    await app.settle();
    expect(await source('withings')).toMatchObject({ last_data_at: '2026-11-20T11:59:00.000Z' });
    const me = await app.as<{ sources: Source[] }>(account_id, 'GET', '/me');
    const shown = (await detail()).connections.map(
      ({ observed_at, retirement, ...rest }: Source & { observed_at?: string; retirement?: unknown }) => rest,
    );
    expect(me.body.sources).toEqual(shown);
  });

  it('show an error with its reason and time until the person connects again [connections#connection-errors]', async () => {
    await breakIt();
    await app.settle();
    const at = new Date(app.clock.now()).toISOString();
    expect(await source()).toMatchObject({ status: 'error', error_type: 'token_refresh_failed', error_at: at });
    const me = await app.as<{ sources: Source[] }>(account_id, 'GET', '/me');
    expect(me.body.sources).toMatchObject([{ status: 'error', error_type: 'token_refresh_failed', error_at: at }]);
    await app.advance(hour);
    await app.sandbox.control.clearCalls();
    await app.advance(5 * hour, 5);
    expect(await pulls()).toBe(0);
    await reconnect();
    await app.settle();
    expect(await source()).toMatchObject({ status: 'connected', error_type: null, error_at: null });
    expect(await pulls()).toBeGreaterThan(0);
  });

  it('are not broken by an error that is reported only after the person reconnected [webhooks#connection-events]', async () => {
    await deaf();
    await breakIt();
    const [lost] = (await app.sandbox.control.messages({ event_type: 'provider.connection.error' })).messages;
    await app.sandbox.control.clearFaults('lose');
    await app.advance(60);
    await reconnect();
    await app.settle();
    await app.advance(60);
    await app.sandbox.control.replay({ message_id: lost?.id ?? '' });
    await app.settle();
    expect((await app.admin('GET', `/messages/${lost?.id}`)).body).toMatchObject({ status: 'done' });
    expect(await source()).toMatchObject({ status: 'connected', error_type: null, error_at: null });
  });

  it('are not broken by an operator who replays an earlier error, and are still pulled', async () => {
    await breakIt();
    await app.settle();
    await app.advance(60);
    await reconnect();
    await app.settle();
    const [error] = (await app.sandbox.control.messages({ event_type: 'provider.connection.error' })).messages;
    expect((await app.admin('POST', `/messages/${error?.id}/replay`)).status).toBeLessThan(300);
    await app.settle();
    expect(await source()).toMatchObject({ status: 'connected', error_type: null });
    await app.advance(hour);
    await app.sandbox.control.clearCalls();
    await app.advance(25 * hour, 25);
    expect(await pulls()).toBeGreaterThan(0);
  });

  it('are compared with upstream on schedule, because it reports no disconnection [webhooks#no-delete-events]', async () => {
    await reconnect('withings');
    await app.settle();
    await deaf();
    await reconnect('fitbit');
    await breakIt('withings');
    const headers = { 'x-service-api-key': 'sk_us_sandbox' };
    const gone = await fetch(`${app.sandbox.url}/v2/user/${user_id}/oura`, { method: 'DELETE', headers });
    expect(gone.status).toBe(200);
    await app.settle();
    expect(await statuses()).toEqual({ oura: 'connected', withings: 'connected' });
    await app.advance(7 * hour, 7);
    expect(await statuses()).toEqual({ oura: 'disconnected', withings: 'error', fitbit: 'connected' });
    expect(await source('withings')).toMatchObject({ error_type: 'token_refresh_failed' });
    expect((await source())?.last_data_at).not.toBeNull();
    await reconnect('withings');
    await app.advance(7 * hour, 7);
    expect(await source('withings')).toMatchObject({ status: 'connected', error_type: null, error_at: null });
    expect(await statuses()).toEqual({ oura: 'disconnected', withings: 'connected', fitbit: 'connected' });
  });

  it('do not change while upstream is unavailable', async () => {
    await deaf();
    await breakIt();
    await app.sandbox.control.fault({ kind: 'status', status: 500, path: '/v2/user/providers' });
    await app.advance(8 * hour, 8);
    expect(await statuses()).toEqual({ oura: 'connected' });
    await app.sandbox.control.clearFaults();
    await app.advance(8 * hour, 8);
    expect(await statuses()).toEqual({ oura: 'error' });
  });

  it('do not change if the response of upstream is no list of connections', async () => {
    await app.sandbox.control.fault({ kind: 'empty', path: '/v2/user/providers' });
    await app.advance(8 * hour, 8);
    expect(await statuses()).toEqual({ oura: 'connected' });
  });

  it('are paused seven days after the end of ingestion, and no longer pulled [users#ingestion-bounds]', async () => {
    const patched = await app.admin('PATCH', `/accounts/${account_id}`, { ingestion_end: '2026-11-21' });
    expect(patched.status).toBe(200);
    await app.advance(7 * day, 7);
    expect(await statuses()).toEqual({ oura: 'connected' });
    await app.advance(2 * day, 8);
    expect(await source()).toMatchObject({ status: 'paused', error_type: null });
    await app.sandbox.control.clearCalls();
    await app.advance(day, 4);
    expect(await pulls()).toBe(0);
    const me = await app.as<{ sources: Source[] }>(account_id, 'GET', '/me');
    expect(me.body.sources).toMatchObject([{ provider: 'oura', status: 'paused' }]);
  });

  it('have devices, listed as upstream last reported them [webhooks#device-events]', async () => {
    const [ring, ...others] = (await detail('reader')).devices;
    expect(others).toEqual([]);
    expect(ring).toMatchObject({ provider: 'oura', source_type: 'ring', model: 'ring-1' });
    await app.advance(60);
    await app.sandbox.control.addDevice({ user_id, provider: 'oura', source_type: 'ring', device_model: 'Gen 4' });
    await app.sandbox.control.addDevice({ user_id, provider: 'oura', source_type: 'app' });
    await app.settle();
    const { devices } = await detail('reader');
    expect(devices.map(({ source_type, model }) => [source_type, model]).sort()).toEqual([
      ['app', 'app-1'],
      ['ring', 'Gen 4'],
    ]);
    expect(devices.map(({ device_id }) => device_id)).toContain(ring?.device_id);
    expect((await detail()).devices.map(({ model }) => model)).toEqual([null, null]);
  });

  it('of an unknown account are not found', async () => {
    expect((await app.admin('GET', '/accounts/nobody')).status).toBe(404);
    expect((await app.call('GET', `/admin/v1/accounts/${account_id}`)).status).toBe(401);
  });
});
