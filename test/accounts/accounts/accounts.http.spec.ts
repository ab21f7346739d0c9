import { ListedAccounts } from '../../../src/accounts/accounts/listed-accounts.repository.js';
import { ConnectionsService } from '../../../src/accounts/connections/connections.service.js';
import { WriteLane } from '../../../src/storage/database/write-lane.js';
import { adminKeys } from '../../support/environment.js';
import type { Answer } from '../../support/http.js';
import { TestApp } from '../../support/test-app.js';

let service: TestApp;

beforeEach(async () => {
  service = await TestApp.create({ webhooks: false });
});

afterEach(() => service.close());

const operator = (line: string, body?: unknown): Promise<Answer> =>
  service.send(line, { token: adminKeys.operator, body });
const viewer = (line: string): Promise<Answer> => service.send(line, { token: adminKeys.viewer });
const create = (account_id: string, settings = {}): Promise<Answer> =>
  operator('POST /admin/v1/accounts', { account_id, ...settings });
const shown = async (id: string): Promise<Record<string, unknown>> =>
  (await viewer(`GET /admin/v1/accounts/${id}`)).body;
const upstreamUser = async (userId: string): Promise<Record<string, unknown>> => {
  const headers = { 'x-service-api-key': 'sk_us_sandbox' };
  const response = await fetch(`${service.sandbox.url}/v2/user/${userId}`, { headers });
  return (await response.json()) as Record<string, unknown>;
};

const settings = {
  fallback_time_zone: 'Europe/Berlin',
  fallback_birth_date: '1980-02-29',
  ingestion_start: '2026-01-01',
  ingestion_end: '2026-12-31',
};

describe('POST /admin/v1/accounts', () => {
  it('creates the account with its settings, here and upstream [users#fallbacks]', async () => {
    const { status, body } = await create('cust-1', settings);
    expect(status).toBe(201);
    expect(body).toEqual({
      account_id: 'cust-1',
      user_id: expect.any(String),
      log_ref: expect.stringMatching(/^a_[0-9a-f]{16}$/),
      status: 'active',
      created_at: '2026-11-20T12:00:00.000Z',
      updated_at: '2026-11-20T12:00:00.000Z',
      linked_at: '2026-11-20T12:00:00.000Z',
      relinked_at: null,
      ...settings,
    });
    expect(await upstreamUser(body.user_id)).toMatchObject({
      client_user_id: 'cust-1',
      fallback_time_zone: { id: 'Europe/Berlin' },
      fallback_birth_date: { value: '1980-02-29' },
      ingestion_start: '2026-01-01',
      ingestion_end: '2026-12-31',
    });
  });

  it('refuses a body that is no JSON, and says so', async () => {
    const headers = { authorization: `Bearer ${adminKeys.operator}`, 'content-type': 'application/json' };
    const response = await fetch(`${service.url}/admin/v1/accounts`, { method: 'POST', headers, body: '{bad' });
    expect(await response.json()).toMatchObject({ code: 'invalid_request', detail: 'The body is not valid JSON.' });
  });

  it('adopts the existing upstream user, and applies the given settings to it', async () => {
    const { users } = await service.sandbox.control.createUsers({ client_user_id: 'cust-1' });
    const { status, body } = await create('cust-1', { fallback_time_zone: 'Europe/Berlin' });
    expect([status, body.user_id, body.fallback_time_zone]).toEqual([201, users[0]?.user_id, 'Europe/Berlin']);
    expect(await upstreamUser(body.user_id)).toMatchObject({ fallback_time_zone: { id: 'Europe/Berlin' } });
  });

  it('returns the same account when it is repeated', async () => {
    const first = await create('cust-1', settings);
    expect((await create('cust-1', settings)).body).toEqual(first.body);
    expect((await create('cust-1')).body).toEqual(first.body);
    expect(await service.upstreamUsers()).toHaveLength(1);
  });

  it.each(['jane@example.com', '+49 170 1234567'])('refuses the id %s without repeating it [users#ids]', async (id) => {
    const { status, body } = await create(id);
    expect([status, body.code]).toEqual([400, 'account_id_not_allowed']);
    expect(body.errors).toEqual([{ field: 'account_id', message: expect.any(String) }]);
    expect(JSON.stringify(body)).not.toContain(id);
  });

  it('accepts plain digits', async () => {
    expect((await create('491701234567')).status).toBe(201);
  });

  it('refuses what is not valid before anything happens', async () => {
    const refused: [object, string][] = [
      [{}, 'account_id'],
      [{ account_id: '' }, 'account_id'],
      [{ account_id: 42 }, 'account_id'],
      [{ account_id: 'x'.repeat(256) }, 'account_id'],
      [{ account_id: 'a\nb' }, 'account_id'],
      [{ account_id: 'a', fallback_time_zone: '+02:00' }, 'fallback_time_zone'],
      [{ account_id: 'a', fallback_time_zone: 'Mars/Base' }, 'fallback_time_zone'],
      [{ account_id: 'a', fallback_birth_date: '1981-02-29' }, 'fallback_birth_date'],
      [{ account_id: 'a', ingestion_start: '2026-01-01T00:00:00Z' }, 'ingestion_start'],
      [{ account_id: 'a', ingestion_start: '2026-02-01', ingestion_end: '2026-01-01' }, 'ingestion_end'],
      [{ account_id: 'a', user_id: 'b' }, 'user_id'],
    ];
    for (const [given, field] of refused) {
      const { status, body } = await operator('POST /admin/v1/accounts', given);
      expect([given, status, body.code]).toEqual([given, 400, 'invalid_request']);
      expect([given, body.errors.map((error) => error.field)]).toEqual([given, [field]]);
    }
    expect(await service.upstreamUsers()).toEqual([]);
  });

  it('reports that the sandbox environment is full', async () => {
    await service.sandbox.control.configure({ user_limit: 1 });
    await create('cust-1');
    const { status, body } = await create('cust-2');
    expect([status, body.code]).toEqual([409, 'upstream_user_limit']);
    expect(body.detail).toMatch(/limit of 50 users/);
  });

  it('reports that upstream is down, without its response', async () => {
    await service.sandbox.control.fault({ kind: 'plain_text_500', path: '/v2/user' });
    const { status, body } = await create('cust-1');
    expect([status, body.code]).toEqual([503, 'upstream_unavailable']);
  });
});

describe('values of an account that upstream refuses', () => {
  const refuse = (method: string, ...names: string[]): Promise<unknown> => {
    const detail = names.map((name) => ({ loc: ['body', name], msg: 'canary-text', type: 'value_error' }));
    const rule = { kind: 'status', status: 422, path: '/v2/user', method, body: JSON.stringify({ detail }) } as const;
    return service.sandbox.control.fault({ ...rule, times: 1 });
  };
  const fieldsOf = ({ status, body }: Answer): unknown => [status, body.code, body.errors];
  const message = 'upstream does not accept this value';

  it('are reported by field when it is created [errors-and-limits#error-bodies]', async () => {
    await refuse('POST', 'client_user_id', 'fallback_time_zone', 'canary_value');
    const answer = await create('cust-1', settings);
    expect(fieldsOf(answer)).toEqual([
      422,
      'upstream_invalid_request',
      [
        { field: 'account_id', message },
        { field: 'fallback_time_zone', message },
      ],
    ]);
    expect(JSON.stringify(answer.body)).not.toContain('canary');
  });

  it('are reported by field when it is changed, and nothing is stored [errors-and-limits#error-bodies]', async () => {
    await create('cust-1');
    await refuse('PATCH', 'fallback_birth_date');
    const answer = await operator('PATCH /admin/v1/accounts/cust-1', { fallback_birth_date: '1980-02-29' });
    expect(fieldsOf(answer)).toEqual([422, 'upstream_invalid_request', [{ field: 'fallback_birth_date', message }]]);
    expect(await shown('cust-1')).toMatchObject({ fallback_birth_date: null });
  });
});

describe('PATCH /admin/v1/accounts/{account_id}', () => {
  it('changes what is given, upstream and here, and clears with null [users#fallbacks]', async () => {
    const { body: made } = await create('cust-1', settings);
    service.clock.advance(1_000);
    const change = { fallback_time_zone: 'America/New_York', fallback_birth_date: null };
    const { status, body } = await operator('PATCH /admin/v1/accounts/cust-1', change);
    expect(status).toBe(200);
    expect(body).toEqual({ ...made, ...change, updated_at: '2026-11-20T12:00:01.000Z' });
    expect(await upstreamUser(made.user_id)).toMatchObject({
      fallback_time_zone: { id: 'America/New_York' },
      fallback_birth_date: null,
      ingestion_start: '2026-01-01',
    });
    expect(await shown('cust-1')).toMatchObject(body);
  });

  it('changes nothing here if upstream does not', async () => {
    const { body: made } = await create('cust-1', settings);
    await service.sandbox.control.fault({ kind: 'status', status: 422, path: '/v2/user', method: 'PATCH' });
    const { status } = await operator('PATCH /admin/v1/accounts/cust-1', { fallback_time_zone: 'UTC' });
    expect(status).toBe(502);
    expect(await shown('cust-1')).toMatchObject(made);
  });

  it('refuses an empty change, an unknown account, an id in the body and a range that ends before it starts [users#ingestion-bounds]', async () => {
    await create('cust-1', settings);
    expect((await operator('PATCH /admin/v1/accounts/cust-1', {})).status).toBe(400);
    expect((await operator('PATCH /admin/v1/accounts/nobody', { fallback_time_zone: 'UTC' })).status).toBe(404);
    expect((await operator('PATCH /admin/v1/accounts/cust-1', { account_id: 'cust-2' })).status).toBe(400);
    expect((await operator('PATCH /admin/v1/accounts/cust-1', { ingestion_end: '2025-01-01' })).status).toBe(400);
  });

  it('reports that upstream no longer knows the user', async () => {
    const { body: made } = await create('cust-1');
    await service.sandbox.control.eraseUser(made.user_id);
    const { status, body } = await operator('PATCH /admin/v1/accounts/cust-1', { fallback_time_zone: 'UTC' });
    expect([status, body.code]).toEqual([409, 'conflict']);
    expect(body.detail).toMatch(/no longer has/);
  });
});

describe('GET /admin/v1/accounts', () => {
  const idsOf = (answer: Answer): string[] => answer.body.data.map((account) => account.account_id);

  it('pages through all accounts in order of creation', async () => {
    const ids = ['c', 'a', 'e', 'b', 'd'];
    for (const id of ids) await create(id);
    const seen: string[] = [];
    let cursor = '';
    for (let pages = 0; pages < 3; pages++) {
      const page = await viewer(`GET /admin/v1/accounts?limit=2${cursor}`);
      seen.push(...idsOf(page));
      cursor = `&cursor=${page.body.next_cursor}`;
      if (pages === 2) expect(page.body.next_cursor).toBeNull();
    }
    expect(seen).toEqual(ids);
  });

  it('lists the sources of each, and when records of each last changed', async () => {
    await service.close();
    service = await TestApp.create();
    await create('none');
    const user_id = await service.connect('one', 'oura', { days: 2, per_day: 1 });
    await service.sandbox.control.connect({ user_id, provider: 'garmin' });
    await service.settle();
    await service.sandbox.control.breakConnection({ user_id, provider: 'garmin', error_type: 'token_refresh_failed' });
    await service.advance(900, 4);
    const { body } = await viewer('GET /admin/v1/accounts');
    const listed = body.data as unknown as { sources: unknown }[];
    expect(listed.map(({ sources }) => sources)).toEqual([
      [],
      [
        { provider: 'garmin', status: 'error', data_changed_at: null },
        { provider: 'oura', status: 'connected', data_changed_at: expect.any(String) },
      ],
    ]);
    const { body: sources } = await viewer('GET /admin/v1/sources?status=error');
    expect(sources.data).toEqual([expect.objectContaining({ account_id: 'one', data_changed_at: null })]);
  });

  it('finds by part of the id in either case, with signs taken literally, and by upstream user', async () => {
    const { body: made } = await create('Cust-100%');
    await create('cust-200');
    const find = async (q: string): Promise<string[]> =>
      idsOf(await viewer(`GET /admin/v1/accounts?q=${encodeURIComponent(q)}`));
    expect(await find('CUST')).toEqual(['Cust-100%', 'cust-200']);
    expect(await find('0%')).toEqual(['Cust-100%']);
    expect(await find('_')).toEqual([]);
    expect(await find('\\')).toEqual([]);
    expect(await find("'")).toEqual([]);
    expect(await find(made.user_id)).toEqual(['Cust-100%']);
  });

  it('finds and pages in slices, of which each statement looks at one', async () => {
    service.get(ListedAccounts).sliceSize = 2;
    const rows = jest.spyOn(service.store.reader, 'rows');
    for (const id of ['x-1', 'other-1', 'other-2', 'other-3', 'x-2', 'x-3', 'other-4', 'x-4', 'other-5'])
      await create(id);
    const first = await viewer('GET /admin/v1/accounts?q=x-&limit=3');
    expect(idsOf(first)).toEqual(['x-1', 'x-2', 'x-3']);
    const second = await viewer(`GET /admin/v1/accounts?q=x-&limit=3&cursor=${first.body.next_cursor}`);
    expect([idsOf(second), second.body.next_cursor]).toEqual([['x-4'], null]);
    expect(idsOf(await viewer('GET /admin/v1/accounts?q=other-5'))).toEqual(['other-5']);
    const searches = rows.mock.calls.filter(([sql]) => sql.includes('LIKE'));
    expect(searches.length).toBeGreaterThan(10);
    expect((await viewer(`GET /admin/v1/accounts?cursor=${first.body.next_cursor}`)).status).toBe(400);
  });

  it('filters by status and by connected provider', async () => {
    await create('cust-1');
    await create('cust-2');
    const user_id = (await shown('cust-2'))['user_id'] as string | undefined;
    const lane = service.get<WriteLane>(WriteLane);
    await lane.run((tx) => tx.execute(`UPDATE accounts SET status = 'blocked' WHERE account_id = 'cust-2'`));
    const row = await service.store.reader.row<{ id: number }>('SELECT id FROM accounts WHERE upstream_user_id = ?', [
      user_id,
    ]);
    const connections = service.get(ConnectionsService);
    const fact = { provider: 'oura', observedAt: 1 };
    const none = { listed: [], unreadable: [], hasNameless: false };
    await lane.run((tx) => connections.recordConnected(tx, row?.id ?? 0, fact));
    expect(idsOf(await viewer('GET /admin/v1/accounts?status=blocked'))).toEqual(['cust-2']);
    expect(idsOf(await viewer('GET /admin/v1/accounts?provider=oura'))).toEqual(['cust-2']);
    expect(idsOf(await viewer('GET /admin/v1/accounts?provider=oura&status=active'))).toEqual([]);
    await lane.run((tx) => connections.reconcile(tx, row?.id ?? 0, none, 2));
    expect(idsOf(await viewer('GET /admin/v1/accounts?provider=oura'))).toEqual([]);
  });

  it('refuses what is not valid in its query', async () => {
    const refused = ['limit=0', 'limit=501', 'limit=x', 'cursor=zzz', 'status=gone', 'provider=%27', 'q=', 'page=2'];
    for (const query of refused) {
      const { status } = await viewer(`GET /admin/v1/accounts?${query}`);
      expect([query, status]).toEqual([query, 400]);
    }
  });
});

describe('the roles', () => {
  it.each(['POST /admin/v1/accounts', 'PATCH /admin/v1/accounts/a'])('leave %s to operators', async (line) => {
    expect((await service.send(line, { body: {} })).status).toBe(401);
    expect((await service.send(line, { token: adminKeys.viewer, body: {} })).status).toBe(403);
    expect((await service.send(line, { token: adminKeys.reader, body: {} })).status).toBe(403);
  });
});
