import { newAccountId } from '../support/environment.js';
import { TestApp } from '../support/test-app.js';

interface Done {
  provider: string;
  outcome: string;
  disconnected_at: string | null;
  afterwards: string;
  note: string;
  code?: string;
}

describe('disconnecting a source', () => {
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

  const own = (provider: string) => app.as<Done>(account_id, 'DELETE', `/me/sources/${provider}`);
  const operators = (provider: string, account = account_id) =>
    app.admin<Done>('DELETE', `/accounts/${account}/sources/${provider}`);
  const statuses = async (): Promise<Record<string, string>> => {
    const { body } = await app.as<{ sources: { provider: string; status: string }[] }>(account_id, 'GET', '/me');
    return Object.fromEntries(body.sources.map(({ provider, status }) => [provider, status]));
  };
  const askedBy = async (): Promise<unknown[]> => {
    const path = `/accounts/${account_id}/timeline?kind=connection`;
    const { body } = await app.admin<{ data: { details: Record<string, unknown> }[] }>('GET', path);
    return body.data.map(({ details }) => [details['provider'], details['status'], details['asked_by']]);
  };
  const now = (): string => new Date(app.clock.now()).toISOString();

  it('by its person ends it upstream and here, is recorded, and can be repeated [connections#deregister]', async () => {
    const at = now();
    const { status, body } = await own('oura');
    expect([status, body]).toEqual([
      200,
      {
        provider: 'oura',
        outcome: 'disconnected',
        disconnected_at: at,
        afterwards: 'stays_disconnected',
        note: expect.stringContaining('until the person reconnects it'),
      },
    ]);
    expect(await statuses()).toEqual({ oura: 'disconnected' });
    expect(await askedBy()).toEqual([
      ['oura', 'disconnected', 'person'],
      ['oura', 'connected', null],
    ]);
    await app.advance(3_600);
    await app.sandbox.control.clearCalls();
    const again = await own('oura');
    expect(again).toMatchObject({ status: 200, body: { outcome: 'already_disconnected', disconnected_at: at } });
    await app.settle();
    expect((await app.sandbox.control.calls({ path: '/v2/user/providers' })).calls).toHaveLength(1);
    expect(await askedBy()).toHaveLength(2);
    const records = await app.as<{ data: unknown[] }>(account_id, 'GET', '/me/records/sleep');
    expect(records.body.data.length).toBeGreaterThan(0);
    await app.sandbox.control.clearCalls();
    await app.advance(50 * 3_600, 50);
    const pulled = await app.sandbox.control.calls({ path: '/v2/summary' });
    expect(pulled.calls).toEqual([]);
  });

  it('lets the person connect it again', async () => {
    await own('oura');
    await app.advance(60);
    await app.sandbox.control.connect({ user_id, provider: 'oura' });
    await app.settle();
    expect(await statuses()).toEqual({ oura: 'connected' });
  });

  it('by an operator is recorded with the name of the key, and reports a source that never existed', async () => {
    expect(await operators('withings')).toMatchObject({
      status: 200,
      body: { provider: 'withings', outcome: 'not_connected', disconnected_at: null },
    });
    expect((await operators('oura')).body.outcome).toBe('disconnected');
    expect((await askedBy())[0]).toEqual(['oura', 'disconnected', expect.stringMatching(/^key:./)]);
    expect(await operators('no_such_provider')).toMatchObject({
      status: 422,
      body: { code: 'upstream_invalid_request' },
    });
    expect((await operators('Not.A-Slug')).status).toBe(400);
    expect((await operators('oura', 'nobody')).status).toBe(404);
    expect(await app.metric('source_disconnections_total', { outcome: 'disconnected' })).toBe(1);
  });

  it('by two simultaneous callers happens once', async () => {
    const both = await Promise.all([own('oura'), operators('oura')]);
    expect(both.map(({ body }) => body.outcome).sort()).toEqual(['already_disconnected', 'disconnected']);
    expect(await askedBy()).toHaveLength(2);
  });

  it('that upstream refuses changes nothing', async () => {
    await app.sandbox.control.fault({ kind: 'status', status: 503, path: `/v2/user/${user_id}/oura` });
    expect(await own('oura')).toMatchObject({ status: 503, body: { code: 'upstream_unavailable' } });
    await app.settle();
    expect(await statuses()).toEqual({ oura: 'connected' });
    expect(await askedBy()).toHaveLength(1);
    await app.sandbox.control.clearFaults();
    expect((await own('oura')).body.outcome).toBe('disconnected');
  });

  it('whose response is lost is repeated, and recorded once', async () => {
    await app.sandbox.control.fault({ kind: 'drop_after', times: 1, path: `/v2/user/${user_id}/oura` });
    expect((await own('oura')).body.outcome).toBe('disconnected');
    expect(await askedBy()).toHaveLength(2);
  });

  it('on the phone warns that it may return, which it does with automatic connection', async () => {
    await app.sandbox.control.connect({ user_id, provider: 'apple_health_kit' });
    await app.settle();
    expect((await own('apple_health_kit')).body).toMatchObject({ outcome: 'disconnected', afterwards: 'may_return' });
    await app.settle();
    expect(await statuses()).toMatchObject({ apple_health_kit: 'disconnected' });
    await app.sandbox.control.configure({ automatic_connection: false });
    await app.advance(60);
    expect(await app.sandbox.control.syncPhone({ user_id, provider: 'apple_health_kit' })).toEqual({
      connected_again: false,
    });
    await app.settle();
    expect(await statuses()).toMatchObject({ apple_health_kit: 'disconnected' });
    await app.sandbox.control.configure({ automatic_connection: true });
    await app.sandbox.control.syncPhone({ user_id, provider: 'apple_health_kit' });
    await app.settle();
    expect(await statuses()).toMatchObject({ apple_health_kit: 'connected' });
  });

  it('works for a blocked account, and finds nothing for one without an upstream user', async () => {
    await app.admin('POST', `/accounts/${account_id}/block`);
    expect((await own('oura')).body.outcome).toBe('disconnected');
    await app.sandbox.control.fault({ kind: 'status', status: 503, path: '/v2/user' });
    const pending = newAccountId();
    expect((await app.as(pending, 'GET', '/me')).status).toBe(503);
    expect(await operators('oura', pending)).toMatchObject({ status: 200, body: { outcome: 'not_connected' } });
  });
});
