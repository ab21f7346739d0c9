import { compareWithTruth } from '../support/compare.js';
import { newAccountId } from '../support/environment.js';
import { TestApp } from '../support/test-app.js';

interface Import {
  [field: string]: unknown;
  import_id: number;
  state: string;
}

const synced = ['sleep', 'mindfulness_minutes', 'blood_pressure'];

describe('taking over the users that upstream has', () => {
  let app: TestApp;

  beforeEach(async () => {
    app = await TestApp.create();
  });

  afterEach(() => app.close());

  const start = async (): Promise<number> => {
    const answer = await app.admin<Import>('POST', '/accounts/import');
    expect(answer.status).toBe(202);
    return answer.body.import_id;
  };
  const look = async (id: number): Promise<Import> =>
    (await app.admin<Import>('GET', `/account-imports/${id}`, undefined, 'viewer')).body;
  const kinds = async (id: number): Promise<string[]> => {
    const page = await app.admin<{ data: { kind: string; reason: string | null }[] }>(
      'GET',
      `/account-imports/${id}/differences`,
      undefined,
      'viewer',
    );
    return page.body.data.map(({ kind, reason }) => (reason === null ? kind : `${kind} ${reason}`));
  };

  it('ends with their history in the store, although none of it was delivered [users#list]', async () => {
    await app.sandbox.control.fault({ kind: 'lose' });
    const { users } = await app.sandbox.control.createUsers({ count: 3, prefix: 'customer' });
    for (const { user_id } of users) {
      await app.sandbox.control.connect({ user_id, provider: 'oura', history: { days: 20, per_day: 4 } });
    }
    await app.sandbox.control.createUsers({ client_user_id: 'somebody@example.com' });
    await app.sandbox.control.advance(600);

    const id = await start();
    await app.advance(900, 6);

    expect(await look(id)).toMatchObject({
      state: 'done',
      stable: true,
      users_total: 4,
      adopted: 3,
      refused_by_reason: { personal_id: 1 },
      share_done: 1,
    });
    for (const { user_id, client_user_id: account_id } of users) {
      for (const resource of synced) {
        const { upstream, stored, differing } = await compareWithTruth(app, { account_id, user_id }, resource);
        expect([resource, differing, stored]).toEqual([resource, 0, upstream]);
        expect(upstream).toBeGreaterThan(10);
      }
    }
    expect(app.logs.join('')).not.toContain('somebody');
  });

  it.each([
    ['is refused the list', { status: 401 }, { state: 'failed', last_error: 'upstream_unauthorized' }],
    ['is asked to slow down', { status: 429 }, { state: 'running', last_error: 'upstream_throttled' }],
    ['finds upstream down', { status: 503 }, { state: 'running', last_error: 'upstream_unavailable' }],
  ])('reports when upstream %s, and takes them over afterwards [users#list]', async (_, { status }, shown) => {
    await app.sandbox.control.createUsers({ count: 2, prefix: 'customer' });
    await app.sandbox.control.fault({ kind: 'status', status, path: '/v2/user', method: 'GET' });
    const id = await start();
    await app.settle();
    expect(await look(id)).toMatchObject({ ...shown, adopted: 0 });
    await app.sandbox.control.clearFaults();
    const again = await start();
    await app.advance(900, 1);
    expect(await look(again)).toMatchObject({ state: 'done', adopted: 2, last_error: null });
    expect(again === id).toBe(shown.state === 'running');
  });

  it('asks upstream about accounts missing from its list, and reports the response [users#look-up]', async () => {
    const account_id = newAccountId();
    const lost = newAccountId();
    await app.as(account_id, 'POST', '/me/sign-in-token', {});
    await app.sandbox.control.fault({ kind: 'status', status: 503, method: 'POST', path: '/v2/user' });
    await app.as(lost, 'POST', '/me/sign-in-token', {});
    const { users } = await app.sandbox.control.truthUsers();
    await app.sandbox.control.eraseUser(users[0]?.user_id ?? '');

    const first = await start();
    await app.settle();
    expect(await look(first)).toMatchObject({ state: 'done', unknown_upstream: 2, accounts_verified: 2 });
    expect(await kinds(first)).toEqual(['unknown_upstream user_gone', 'unknown_upstream never_made']);

    await app.sandbox.control.fault({ kind: 'status', status: 503, path: '/v2/user/resolve' });
    const second = await start();
    await app.settle();
    expect(await look(second)).toMatchObject({ state: 'running', last_error: 'upstream_unavailable' });
    await app.sandbox.control.clearFaults();
    await app.sandbox.control.createUsers({ client_user_id: account_id });
    await app.advance(60);
    expect(await look(second)).toMatchObject({ state: 'done', unknown_by_reason: { user_replaced: 1 } });

    await app.sandbox.control.fault({ kind: 'status', status: 401, path: '/v2/user/resolve' });
    const third = await start();
    await app.settle();
    expect(await look(third)).toMatchObject({ state: 'failed', last_error: 'upstream_unauthorized' });
  });
});

describe('creating a user upstream', () => {
  let app: TestApp;

  beforeEach(async () => {
    app = await TestApp.create();
  });

  afterEach(() => app.close());

  it.each([
    ['refuses the key', 401, 502, 'upstream_rejected'],
    ['refuses what it was sent', 422, 502, 'upstream_rejected'],
    ['is down', 503, 503, 'upstream_unavailable'],
  ])(
    'ends with a clear problem when upstream %s, and is completed automatically afterwards [users#create]',
    async (_, status, ours, code) => {
      const account_id = newAccountId();
      await app.sandbox.control.fault({ kind: 'status', status, method: 'POST', path: '/v2/user' });
      const refused = await app.admin('POST', '/accounts', { account_id });
      expect([refused.status, refused.body['code']]).toEqual([ours, code]);
      await app.sandbox.control.clearFaults();
      await app.advance(120, 2);
      const { users } = await app.sandbox.control.truthUsers();
      const account = await app.admin('GET', `/accounts/${account_id}`);
      expect(account.body).toMatchObject({ status: 'active', user_id: users[0]?.user_id });
      expect(users).toHaveLength(1);
    },
  );

  it('adopts an existing one, found by its account id', async () => {
    const { users } = await app.sandbox.control.createUsers({ client_user_id: 'there already' });
    const made = await app.admin('POST', '/accounts', { account_id: 'there already' });
    expect([made.status, made.body['user_id']]).toEqual([201, users[0]?.user_id]);
  });
});
