import { newAccountId } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';

interface EntryRow {
  seq: number;
  at: number;
  actor: string;
  role: string | null;
  action: string;
  account_ref: number | null;
  target: string | null;
  address: string | null;
  request_id: string;
  status: number;
}

describe('the access log', () => {
  let app: TestApp;
  let seen = 0;

  beforeAll(async () => {
    app = await TestApp.create();
  });

  afterAll(() => app.close());

  /** What was recorded since the last look. */
  const fresh = async (): Promise<EntryRow[]> => {
    await app.chainAccesses();
    const rows = await app.store.reader.rows<EntryRow>(
      `SELECT seq, at, actor, role, action, account_ref, target, address, request_id, status FROM access_log
       WHERE seq > ? ORDER BY seq`,
      [seen],
    );
    seen = rows.at(-1)?.seq ?? seen;
    return rows;
  };
  const brief = async (): Promise<unknown[]> =>
    (await fresh()).map(({ actor, action, target, status }) => [actor, action, target, status]);
  const refOf = async (accountId: string): Promise<number> => {
    const row = await app.store.reader.row<{ id: number }>('SELECT id FROM accounts WHERE account_id = ?', [accountId]);
    return Number(row?.id);
  };

  beforeEach(() => fresh());

  it('has who read values, of whom, when, from where and in which request', async () => {
    const account = newAccountId();
    await app.connect(account, 'oura', { days: 2, per_day: 1 });
    await app.settle();
    await fresh();
    const answer = await app.admin('GET', `/accounts/${account}/records/sleep`, undefined, 'reader');
    expect(answer.status).toBe(200);
    expect(await fresh()).toEqual([
      {
        seq: expect.any(Number),
        at: app.clock.now(),
        actor: 'reader',
        role: 'reader',
        action: 'GET /admin/v1/accounts/:account_id/records/:resource',
        account_ref: await refOf(account),
        target: 'resource:sleep',
        address: '127.0.0.1',
        request_id: answer.headers['x-request-id'],
        status: 200,
      },
    ]);
  });

  it('has an act twice: its begin and its result', async () => {
    const account = newAccountId();
    expect((await app.admin('POST', '/accounts', { account_id: account })).status).toBe(201);
    const rows = await fresh();
    expect(rows.map(({ action, status, account_ref }) => [action, status, account_ref])).toEqual([
      ['POST /admin/v1/accounts', 102, null],
      ['POST /admin/v1/accounts', 201, await refOf(account)],
    ]);
    expect(new Set(rows.map((row) => row.request_id)).size).toBe(1);
  });

  it('finds the account of an order also by its upstream user', async () => {
    const account = newAccountId();
    const { body } = await app.as<{ user_id: string }>(account, 'POST', '/me/sign-in-token', {});
    await fresh();
    const order = { user_id: body.user_id.toUpperCase() };
    expect((await app.admin('POST', '/orders/place', order)).status).toBe(400);
    const ref = await refOf(account);
    expect((await fresh()).map(({ account_ref }) => account_ref)).toEqual([ref, ref]);
  });

  it('has the acts and reads of the app about its person, without an address', async () => {
    const account = newAccountId();
    await app.as(account, 'POST', '/me/sign-in-token', {});
    await app.as(account, 'GET', '/me/records/sleep');
    await app.as(account, 'GET', '/me/orders');
    const rows = await fresh();
    expect(rows.map(({ action, target, status }) => [action, target, status])).toEqual([
      ['POST /v1/me/sign-in-token', null, 102],
      ['POST /v1/me/sign-in-token', null, 201],
      ['GET /v1/me/records/:resource', 'resource:sleep', 200],
      ['GET /v1/me/orders', null, 200],
    ]);
    const ref = await refOf(account);
    expect(rows.slice(1).map(({ account_ref }) => account_ref)).toEqual([ref, ref, ref]);
    for (const { actor, role, address } of rows) expect([actor, role, address]).toEqual(['app', null, null]);
  });

  it('has refusals of a known key, and nothing of strangers', async () => {
    await app.admin('GET', '/accounts/nobody/records/sleep', undefined, 'viewer');
    await app.admin('GET', '/accounts/nobody/records/sleep', undefined, 'reader');
    await app.admin('POST', '/accounts', { unknown: 1 });
    await app.call('GET', '/admin/v1/accounts/nobody/records/sleep', 'Bearer wrong');
    await app.call('GET', '/admin/v1/accounts/nobody/records/sleep');
    await app.call('GET', '/v1/me', 'Bearer wrong');
    expect(await brief()).toEqual([
      ['viewer', 'GET /admin/v1/accounts/:account_id/records/:resource', 'resource:sleep', 403],
      ['reader', 'GET /admin/v1/accounts/:account_id/records/:resource', 'resource:sleep', 404],
      ['operator', 'POST /admin/v1/accounts', null, 102],
      ['operator', 'POST /admin/v1/accounts', null, 400],
    ]);
  });

  it('has no reads of data without values by viewers', async () => {
    await app.admin('GET', '/overview');
    await app.admin('GET', '/accounts', undefined, 'viewer');
    await app.admin('GET', '/accounts/nobody/coverage?resource=sleep', undefined, 'viewer');
    await app.call('GET', '/livez');
    expect(await fresh()).toEqual([]);
  });
});
