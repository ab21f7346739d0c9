import { UpstreamUsers } from '../../../src/accounts/accounts/upstream-users.js';
import { SourcePollWorker } from '../../../src/ingest/sources/source-poll.worker.js';
import { deliver } from '../../ingest/inbox/support/deliveries.js';
import { tablesWith } from '../../privacy/erasure/support/filling.js';
import type { Receipt } from '../../privacy/erasure/support/receipt.js';
import type { Answer } from '../../support/http.js';
import { TestApp } from '../../support/test-app.js';

const hour = 3600;
const history = { days: 3, per_day: 4 };

let app: TestApp;
let first: string;

async function open(env: Record<string, string> = {}): Promise<void> {
  app = await TestApp.create({ env });
  first = await app.connect('cust-1', 'oura', history);
  await app.advance(900, 10);
}

afterEach(() => app.close());

const gone = (): Promise<unknown> => app.sandbox.control.eraseUser(first);
const relink = (id = 'cust-1'): Promise<Answer> => app.admin('POST', `/accounts/${id}/relink`);
const post = (settings = {}): Promise<Answer> => app.admin('POST', '/accounts', { account_id: 'cust-1', ...settings });
const account = async () => (await app.admin('GET', '/accounts/cust-1')).body as Record<string, unknown>;
const token = (): Promise<Answer<{ user_id: string; code: string }>> =>
  app.as('cust-1', 'POST', '/me/sign-in-token', {});
const rows = <T>(sql: string): Promise<T[]> => app.store.reader.rows<T>(sql);

describe('an account whose upstream user is gone', () => {
  beforeEach(() => open());

  it('is shown as such, and never as active [environments#demo-connections]', async () => {
    await gone();
    const { status, body } = await post();
    expect([status, body['status'], body['user_id']]).toEqual([201, 'user_gone', first]);
    expect(await account()).toMatchObject({ status: 'user_gone' });
    const overview = await app.admin<{ accounts: object }>('GET', '/overview');
    expect(overview.body.accounts).toMatchObject({ active: 0, user_gone: 1 });
    for (const [query, found] of [
      ['user_gone', 1],
      ['active', 0],
    ] as const) {
      const list = await app.admin<{ data: unknown[] }>('GET', `/accounts?status=${query}`);
      expect([query, list.body.data.length]).toEqual([query, found]);
    }
  });

  it('gets a new user on request of an operator, and its old records are kept and marked', async () => {
    const before = (await app.admin<{ data: unknown[] }>('GET', '/accounts/cust-1/records/sleep')).body.data.length;
    await gone();
    expect((await token()).body.code).toBe('conflict');
    const { status, body } = await relink();
    expect([status, body['status']]).toEqual([200, 'active']);
    expect(body['user_id']).not.toBe(first);
    expect(body['relinked_at']).toBe(new Date(app.clock.now()).toISOString());
    expect((await token()).body.user_id).toBe(body['user_id']);
    expect(await rows('SELECT user_id FROM former_upstream_users')).toEqual([{ user_id: first }]);

    await app.advance(60);
    await app.connect('cust-1', 'fitbit', history);
    await app.advance(900, 10);
    const { data } = (
      await app.admin<{ data: { source: { provider: string }; provenance: { earlier_user: boolean } }[] }>(
        'GET',
        '/accounts/cust-1/records/sleep?limit=500',
      )
    ).body;
    const marks = (provider: string) =>
      new Set(
        data.filter(({ source }) => source.provider === provider).map(({ provenance }) => provenance.earlier_user),
      );
    expect([marks('oura'), marks('fitbit')]).toEqual([new Set([true]), new Set([false])]);
    expect(data.filter(({ source }) => source.provider === 'oura')).toHaveLength(before);
  });

  it('takes what is said late of the earlier user as of that one, also under new ids', async () => {
    const night = { calendar_date: '2026-11-01', bedtime_start: '2026-10-31T22:00:00+00:00' };
    const source = { provider: 'fitbit', type: 'watch' };
    const sends = async (user_id: string, id: string): Promise<void> => {
      const times = { bedtime_stop: '2026-11-01T06:00:00+00:00', updated_at: '2026-11-01T07:00:00+00:00' };
      const data = { id, user_id, source, ...night, ...times };
      const event = { event_type: 'daily.data.sleep.created', user_id, client_user_id: 'cust-1', data };
      expect(await deliver(app, event)).toBe(204);
      await app.advance(1);
    };
    await sends(first, 'earlier');
    await gone();
    await relink();
    await app.advance(1);
    await sends(String((await account())['user_id']), 'present');
    await sends(first, 'earlier');
    await sends(first, 'late');
    const path = '/me/records/sleep?first_day=2026-11-01&last_day=2026-11-01&provider=fitbit';
    const { body } = await app.as<{ data: { id: string }[] }>('cust-1', 'GET', path);
    expect(body.data.map(({ id }) => id)).toEqual(['present']);
  });

  it('is relinked once for many simultaneous requests', async () => {
    await gone();
    const answers = await Promise.all([relink(), relink(), relink()]);
    expect(new Set(answers.map(({ body }) => body['user_id'])).size).toBe(1);
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
    expect(await rows('SELECT user_id FROM former_upstream_users')).toHaveLength(1);
    expect(await app.upstreamUsers()).toHaveLength(1);
  });

  it('is not changed while upstream still knows its user', async () => {
    expect(await relink()).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect((await relink('nobody')).status).toBe(404);
    expect(await account()).toMatchObject({ status: 'active', user_id: first });
  });

  it('is neither pulled nor polled until then', async () => {
    await gone();
    await app.advance(24 * hour, 6);
    expect(await account()).toMatchObject({ status: 'user_gone' });
    expect(await rows("SELECT status FROM pull_streams WHERE next_due_at IS NOT NULL OR status <> 'paused'")).toEqual(
      [],
    );
    expect(await rows('SELECT due_at FROM source_polls')).toEqual([{ due_at: null }]);
    await app.sandbox.control.clearCalls();
    await app.advance(48 * hour, 6);
    const { calls } = await app.sandbox.control.calls();
    expect(calls.filter(({ url_path }) => url_path.includes(first))).toEqual([]);
  });

  it('is recognised soon after its first failed pull, and no further pull fails', async () => {
    await gone();
    await app.advance(2 * hour, 8);
    expect(await account()).toMatchObject({ status: 'user_gone' });
    const [streams] = await rows<{ count: number }>('SELECT COUNT(*) AS count FROM pull_streams');
    const failed = await rows("SELECT id FROM sync_tasks WHERE status = 'failed'");
    expect(failed.length).toBeLessThanOrEqual(Number(streams?.count));
  });

  it('leaves no new user upstream if it is erased after the response that created one was lost', async () => {
    await gone();
    await app.sandbox.control.fault({ kind: 'drop_after', method: 'POST', path: '/v2/user', times: 9 });
    expect((await relink()).status).toBe(503);
    await app.sandbox.control.clearFaults();
    const users = await app.upstreamUsers();
    expect(users).toHaveLength(1);
    const { body } = await app.admin<Receipt>('DELETE', '/accounts/cust-1');
    await app.settle();
    expect(await app.upstreamUsers()).toEqual([]);
    const late = { event_type: 'moon.phase.changed', user_id: String(users[0]), data: {} };
    const { message_id } = await app.sandbox.control.send(late);
    await app.settle();
    expect((await app.admin('GET', `/messages/${message_id}`)).body).toMatchObject({ reason: 'account_erased' });
    expect((await app.admin('GET', `/erasures/${body.erasure_id}`)).body).toMatchObject({ turned_away: 1 });
  });

  it('leaves no new user upstream if it is erased while one is created', async () => {
    await gone();
    const users = app.get(UpstreamUsers);
    const create = users.createOrFind.bind(users);
    jest.spyOn(users, 'createOrFind').mockImplementationOnce(async (...asked) => {
      await app.admin('DELETE', '/accounts/cust-1');
      await app.settle();
      return create(...asked);
    });
    expect((await relink()).body).toMatchObject({ code: 'account_erased' });
    expect(await app.upstreamUsers()).toEqual([]);
  });

  it('is as before once upstream knows the user again', async () => {
    await app.sandbox.control.fault({ kind: 'status', status: 404, path: `/v2/user/${first}`, times: 2 });
    expect((await token()).status).toBe(409);
    expect(await account()).toMatchObject({ status: 'user_gone' });
    expect((await token()).status).toBe(201);
    expect(await account()).toMatchObject({ status: 'active', user_id: first });
    await app.run(SourcePollWorker);
    expect(await rows('SELECT error_code FROM source_polls')).toEqual([{ error_code: null }]);
  });

  it('is not treated as gone after one refused call', async () => {
    const path = `^/v2/user/${first}/sign_in_token$`;
    await app.sandbox.control.fault({ kind: 'status', status: 404, path, times: 1 });
    expect((await token()).status).toBe(409);
    expect(await account()).toMatchObject({ status: 'active' });
  });

  it('is never relinked after an erasure, and its earlier users stay out too', async () => {
    await gone();
    const { body } = await relink();
    const second = String(body['user_id']);
    expect((await app.admin('DELETE', '/accounts/cust-1')).status).toBe(202);
    expect((await relink()).status).toBe(409);
    expect(await rows('SELECT digest FROM erasure_tombstones')).toHaveLength(2);
    await app.advance(900, 10);
    expect(await app.upstreamUsers()).not.toContain(second);
    expect(await rows('SELECT * FROM former_upstream_users')).toEqual([]);
    expect((await relink()).status).toBe(404);
  });

  it('leaves nothing of an earlier user whom an import met before the account had it', async () => {
    const { users } = await app.sandbox.control.createUsers({ client_user_id: 'anna@example.test' });
    const user_id = String(users[0]?.user_id);
    await app.admin('POST', '/accounts/import');
    await app.settle();
    expect(await rows('SELECT reason, user_id FROM account_import_differences')).toEqual([
      { reason: 'personal_id', user_id },
    ]);
    await app.sandbox.control.send({ event_type: 'daily.data.sleep.created', user_id, data: { id: 'x' } });
    await app.settle();
    await app.sandbox.control.eraseUser(user_id);
    expect((await relink('anna%40example.test')).status).toBe(200);
    expect((await app.admin('DELETE', '/accounts/anna%40example.test')).status).toBe(202);
    await app.settle();
    expect(await tablesWith(app.store, user_id)).toEqual([]);
  });
});
