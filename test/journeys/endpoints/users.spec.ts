import type { FaultRule } from '../../../sandbox/engine/faults.js';
import { newAccountId } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';

type Fault = Partial<FaultRule>;

const hour = 3_600;

let app: TestApp;

beforeAll(async () => {
  app = await TestApp.create();
});

/** Long enough for a circuit to close and for limits to end. */
beforeEach(() => app.wait(hour));

afterEach(() => mend());

afterAll(() => app.close());

const fault = (path: string, rule: Fault): Promise<unknown> =>
  app.sandbox.control.fault({ kind: 'status', path, ...rule });
const mend = (): Promise<void> => app.sandbox.control.clearFaults();

describe('a user looked up by its account id', () => {
  it.each([
    [401, { state: 'failed', last_error: 'upstream_unauthorized' }],
    [429, { state: 'running', last_error: 'upstream_throttled' }],
    [503, { state: 'running', last_error: 'upstream_unavailable' }],
  ])('delays an import while upstream responds with %i', async (status, shown) => {
    const account_id = newAccountId();
    await fault('/v2/user', { status: 503, method: 'POST' });
    expect((await app.as(account_id, 'POST', '/me/sign-in-token', {})).status).toBe(503);
    await fault('/v2/user/resolve', { status });
    const start = async (): Promise<string> =>
      `/account-imports/${(await app.admin<{ import_id: number }>('POST', '/accounts/import')).body.import_id}`;
    const held = await start();
    await app.settle();
    expect((await app.admin('GET', held)).body).toMatchObject({ ...shown, unknown_upstream: 0 });
    await mend();
    const again = await start();
    await app.advance(900, 5);
    expect((await app.admin('GET', again)).body).toMatchObject({ state: 'done', last_error: null });
    expect((await app.admin('GET', `/accounts/${account_id}`)).body).toMatchObject({ status: 'active' });
  });
});

describe.each([
  ['sign-in token', '/me/sign-in-token', '^/v2/user/[^/]+/sign_in_token', 'sign_in_token'],
  ['link token', '/me/link-token', '^/v2/link/token', 'link_token'],
])('a %s', (_kind, route, path, field) => {
  const ask = (account_id: string) => app.as<Record<string, string>>(account_id, 'POST', route, {});

  it('is returned, and stored nowhere [environments#authentication] [linking-and-tokens#link-token] [linking-and-tokens#sign-in-token]', async () => {
    const { status, body } = await ask(newAccountId());
    expect(status).toBe(201);
    const token = String(body[field]);
    const { body: metrics } = await app.call<string>('GET', '/metrics');
    expect(token.length).toBeGreaterThan(10);
    expect(app.logs.join('') + metrics).not.toContain(token);
    expect(JSON.stringify(body)).not.toContain('sk_us_sandbox');
  });

  it.each([
    [401, 502, 'upstream_rejected'],
    [403, 502, 'upstream_rejected'],
    [422, 502, 'upstream_rejected'],
    [429, 503, 'upstream_throttled'],
    [500, 503, 'upstream_unavailable'],
  ])(
    'that fails with %i is a %i %s, and is returned afterwards [linking-and-tokens#link-token] [linking-and-tokens#sign-in-token]',
    async (status, ours, code) => {
      const account_id = newAccountId();
      await fault(path, { status });
      const refused = await ask(account_id);
      expect([refused.status, refused.body['code']]).toEqual([ours, code]);
      await mend();
      expect((await ask(account_id)).status).toBe(201);
      const { users } = await app.sandbox.control.truthUsers();
      expect(users.filter((user) => user.client_user_id === account_id)).toHaveLength(1);
    },
  );

  it('for a user whom upstream has lost is refused with a conflict', async () => {
    const account_id = newAccountId();
    await app.as(account_id, 'GET', '/me');
    const { users } = await app.sandbox.control.truthUsers();
    const user = users.find(({ client_user_id }) => client_user_id === account_id);
    await app.sandbox.control.eraseUser(user?.user_id ?? '');
    const refused = await ask(account_id);
    expect([refused.status, refused.body['code']]).toEqual([409, 'conflict']);
  });
});
