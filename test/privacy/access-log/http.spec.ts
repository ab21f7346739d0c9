import { newAccountId } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';

interface Entry {
  seq: number;
  actor: string;
  action: string;
  account_id: string | null;
  account_ref: number | null;
  status: number;
}

interface Page {
  data: Entry[];
  next_cursor: string | null;
}

const records = 'GET /admin/v1/accounts/:account_id/records/:resource';

let app: TestApp;
let account: string;

/** An operator at 12:00, a reader at 13:00, the app at 14:00. */
async function begin(): Promise<void> {
  app = await TestApp.create();
  account = newAccountId();
  await app.admin('POST', '/accounts', { account_id: account });
  app.clock.advance(3_600_000);
  await app.admin('GET', `/accounts/${account}/records/sleep`, undefined, 'reader');
  app.clock.advance(3_600_000);
  await app.as(account, 'GET', '/me/orders');
}

async function list(query = ''): Promise<Page> {
  const { status, body } = await app.admin<Page>('GET', `/access-log${query}`);
  expect(status).toBe(200);
  return body;
}

async function actions(query: string): Promise<string[]> {
  return (await list(query)).data.map(({ action }) => action);
}

describe('the filters of the access log', () => {
  beforeAll(async () => {
    await begin();
    app.clock.advance(3_600_000);
  });

  afterAll(() => app.close());

  it.each([
    ['?actor=reader', [records]],
    ['?actor=monitor', []],
    ['?action=GET%20/v1/me/orders', ['GET /v1/me/orders']],
    ['?start=2026-11-20T13:00:00Z&end=2026-11-20T14:00:00Z', [records]],
    ['?start=2026-11-20T14:00:00Z&end=2026-11-20T15:00:00Z', ['GET /v1/me/orders']],
    ['?action=GET%20/admin/v1/accounts/:account_id/export', []],
    ['?actor=operator&end=2026-11-20T13:00:00Z&limit=1', ['POST /admin/v1/accounts']],
  ])('filters by %s', async (query, expected) => {
    expect(await actions(query)).toEqual(expected);
  });

  it('filters by account', async () => {
    expect(await actions(`?account_id=${account}&end=2026-11-20T15:00:00Z`)).toEqual([
      'GET /v1/me/orders',
      records,
      'POST /admin/v1/accounts',
    ]);
  });

  it.each([
    '?colour=red',
    '?limit=0',
    '?cursor=x',
    '?start=yesterday',
    '?actor=a%20b',
    '?account_id=%00',
    '/verification?seq=1',
    '?actor=nobody',
    '?action=GET%20/admin/v1/accounts/:id',
    '?action=POST%20/v1/me/orders',
    '?action=everything',
    '?account_id=a&account_ref=1',
    '?account_ref=0',
    '?resource=dreams',
    '?window_start=yesterday',
  ])('refuses %s', async (query) => {
    expect(await app.admin('GET', `/access-log${query}`)).toMatchObject({
      status: 400,
      body: { code: 'invalid_request' },
    });
  });
});

describe('/admin/v1/access-log', () => {
  beforeEach(begin);

  afterEach(() => app.close());

  it('shows entries newest first', async () => {
    const { data } = await list();
    expect(data.map(({ seq, actor, action, status }) => [seq, actor, action, status])).toEqual([
      [4, 'app', 'GET /v1/me/orders', 200],
      [3, 'reader', records, 200],
      [2, 'operator', 'POST /admin/v1/accounts', 201],
      [1, 'operator', 'POST /admin/v1/accounts', 102],
    ]);
    expect(data[1]).toEqual({
      seq: 3,
      at: '2026-11-20T13:00:00.000Z',
      actor: 'reader',
      role: 'reader',
      action: records,
      account_id: account,
      account_ref: data[0]?.account_ref,
      target: 'resource:sleep',
      resource: 'sleep',
      window_start: null,
      window_end: null,
      address: '127.0.0.1',
      request_id: expect.any(String),
      status: 200,
      reason: null,
      previous_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it('records that it was read, and about whom', async () => {
    await list(`?account_id=${account}`);
    const [newest] = (await list('?limit=1')).data;
    expect(newest).toMatchObject({ actor: 'operator', action: 'GET /admin/v1/access-log', account_id: account });
    await app.admin('GET', '/access-log/verification');
    expect(await actions('?limit=2')).toEqual(['GET /admin/v1/access-log/verification', 'GET /admin/v1/access-log']);
  });

  it('is paged correctly while new entries arrive', async () => {
    const first = await list('?limit=2');
    const second = await list(`?limit=2&cursor=${first.next_cursor}`);
    expect([first, second].map(({ data }) => data.map(({ seq }) => seq))).toEqual([
      [4, 3],
      [2, 1],
    ]);
    expect(second.next_cursor).toBeNull();
  });

  it('is for operators alone', async () => {
    for (const role of ['viewer', 'reader'] as const) {
      expect((await app.admin('GET', '/access-log', undefined, role)).status).toBe(403);
      expect((await app.admin('GET', '/access-log/verification', undefined, role)).status).toBe(403);
    }
    expect((await list('?actor=viewer')).data.map(({ status }) => status)).toEqual([403, 403]);
  });

  it('keeps the entries about a deleted account, without its name', async () => {
    const before = await list(`?account_id=${account}`);
    await app.store.lane.run(async (tx) => {
      await tx.execute('DELETE FROM source_polls');
      await tx.execute('DELETE FROM accounts WHERE account_id = ?', [account]);
    });
    const after = (await list(`?actor=reader`)).data;
    expect(after.map(({ account_id, account_ref }) => [account_id, account_ref])).toEqual([
      [null, before.data[0]?.account_ref],
    ]);
    expect(JSON.stringify((await list()).data)).not.toContain(account);
    expect((await app.admin('GET', '/access-log/verification')).body).toMatchObject({ intact: true });
  });

  it('reports whether it is intact, and where it is not', async () => {
    const { body } = await app.admin<Record<string, unknown>>('GET', '/access-log/verification');
    const last_hash = (await list()).data.find(({ seq }) => seq === 4) as unknown as { hash: string };
    expect(body).toEqual({
      entries: 4,
      first_seq: 1,
      last_seq: 4,
      last_hash: last_hash.hash,
      intact: true,
      broken_at: null,
      reason: null,
      unproven: [],
      unchained: 0,
    });
    const body4 = { noted: [{ seq: 4, hash: '0'.repeat(64) }] };
    const noted = await app.admin('POST', '/access-log/verification', body4);
    expect(noted.body).toMatchObject({ intact: false, broken_at: 4, reason: 'not_as_noted' });
    const { lane, dialect } = app.store;
    await lane.run(async (tx) => {
      await tx.execute(`DROP TRIGGER access_log_unchanged${dialect === 'postgres' ? ' ON access_log' : ''}`);
      await tx.execute(`UPDATE access_log SET actor = 'nobody' WHERE seq = 3`);
    });
    const changed = await app.admin('GET', '/access-log/verification');
    expect(changed.body).toMatchObject({ intact: false, broken_at: 3, reason: 'entry_changed' });
  });

  it('logs its end, for archives of the log', async () => {
    await app.settle();
    const line = app.logs
      .map((text) => JSON.parse(text) as { event: string; seq: number; hash: string })
      .findLast((fields) => {
        return fields.event === 'access_log.head';
      });
    expect(line).toMatchObject({ seq: 4, hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
    const noted = [{ seq: line?.seq, hash: line?.hash }];
    expect((await app.admin('POST', '/access-log/verification', { noted })).body).toMatchObject({ intact: true });
  });

  describe('that cannot be written', () => {
    const rename = (from: string, to: string): Promise<number> =>
      app.store.lane.run((tx) => tx.execute(`ALTER TABLE access_log_pending RENAME COLUMN ${from} TO ${to}`));

    beforeEach(() => rename('mark', 'hidden_mark'));

    it('returns no values', async () => {
      for (const { status, headers, body } of [
        await app.admin('GET', `/accounts/${account}/records/sleep`, undefined, 'reader'),
        await app.as(account, 'GET', '/me/records/sleep'),
      ]) {
        expect([status, body['code']]).toEqual([503, 'storage_unavailable']);
        expect(headers['content-type']).toContain('application/problem+json');
        expect(body).not.toHaveProperty('data');
      }
      const metrics = await app.call<string>('GET', '/metrics');
      expect(metrics.body).toContain('pulsekeep_access_log_failures_total 2');
      expect(app.logs.join('')).toContain('"event":"access_log.not_stored"');
    });

    it('prevents actions', async () => {
      const other = newAccountId();
      expect((await app.admin('POST', '/accounts', { account_id: other })).status).toBe(503);
      expect((await app.as(other, 'POST', '/me/sign-in-token', {})).status).toBe(503);
      expect((await app.admin('GET', `/accounts?q=${other}`, undefined, 'viewer')).body['data']).toEqual([]);
      const made = await app.sandbox.control.calls({ path: '/v2/user' });
      expect(JSON.stringify(made)).not.toContain(other);
    });

    it('does not affect unrecorded requests, and continues once it can be written', async () => {
      expect((await app.admin('GET', '/overview')).status).toBe(200);
      expect((await app.admin('GET', '/accounts', undefined, 'viewer')).status).toBe(200);
      await rename('hidden_mark', 'mark');
      expect((await app.admin('GET', `/accounts/${account}/records/sleep`)).status).toBe(200);
      expect((await list()).data[0]?.seq).toBe(5);
    });
  });
});
