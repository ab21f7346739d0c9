import { ErasureGuard } from '../../../src/accounts/erasure-guard/erasure-guard.service.js';
import { resourceByName } from '../../../src/health/catalogue/catalogue.js';
import { PageFetcher } from '../../../src/ingest/pulls/page-fetcher.js';
import { PageStore } from '../../../src/ingest/pulls/page-store.js';
import type { PullTaskEntity } from '../../../src/ingest/pulls/pull-task.entity.js';
import { PullTasksRepository } from '../../../src/ingest/pulls/pull-tasks.repository.js';
import { newAccountId } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';
import { countsOf, tablesWith } from './support/filling.js';
import type { Receipt } from './support/receipt.js';

const personal = ['samples', 'series', 'summaries', 'orders', 'order_transactions', 'connections', 'sync_tasks'];

describe('of an erased person', () => {
  let pulsekeep: TestApp;
  let account: string;
  let user: string;

  beforeEach(async () => {
    pulsekeep = await TestApp.create();
    account = newAccountId();
    user = await pulsekeep.connect(account, 'oura', { days: 2, per_day: 4 });
    await pulsekeep.advance(900, 5);
  });

  afterEach(() => pulsekeep.close());

  const erase = async (): Promise<string> =>
    (await pulsekeep.admin<Receipt>('DELETE', `/accounts/${account}`)).body.erasure_id;
  const open = (id: string) => pulsekeep.admin('DELETE', `/erasures/${id}/fence`);
  const receipt = async (id: string): Promise<Receipt> =>
    (await pulsekeep.admin<Receipt>('GET', `/erasures/${id}`)).body;
  const put = (points: Record<string, string | number>[]) =>
    pulsekeep.sandbox.control.put({ user_id: user, provider: 'oura', resource: 'heartrate', points, notify: true });
  const point = (value: number) => ({ timestamp: '2026-11-20T08:00:00+00:00', value });
  const nothingStored = async (): Promise<void> => {
    const counts = await countsOf(pulsekeep.store);
    for (const table of personal) expect([table, counts[table]]).toEqual([table, 0]);
    expect(await tablesWith(pulsekeep.store, user)).toEqual([]);
  };
  /** Upstream keeps the user: its deletion is refused by a fault until that is lifted. */
  const upstreamKeepsUser = () =>
    pulsekeep.sandbox.control.fault({ kind: 'status', status: 503, method: 'DELETE', path: '/v2/user' });

  it('late messages are acknowledged, counted and dropped, whatever they are about', async () => {
    await pulsekeep.sandbox.control.configureWebhooks({ paused: true });
    const { message_ids } = await put([point(61)]);
    const { message_id } = await pulsekeep.sandbox.control.send({
      event_type: 'moon.phase.changed',
      user_id: user,
      data: {},
    });
    const id = await erase();
    await pulsekeep.settle();
    await pulsekeep.sandbox.control.configureWebhooks({ paused: false });
    await pulsekeep.settle();
    for (const late of [...message_ids, message_id]) {
      const { body } = await pulsekeep.admin('GET', `/messages/${late}`, undefined, 'reader');
      expect(body).toMatchObject({ status: 'ignored', reason: 'account_erased', account_id: null, has_body: false });
    }
    expect(await receipt(id)).toMatchObject({ state: 'waiting', turned_away: 2 });
    await nothingStored();
  });

  it('a message that waits for its next attempt is dropped at that attempt', async () => {
    const { store } = pulsekeep.pulsekeep;
    await store.lane.run((tx) => tx.execute('ALTER TABLE sample_attributes RENAME TO attributes_gone'));
    const { message_ids } = await put([point(61)]);
    await pulsekeep.settle();
    expect(await pulsekeep.admin('GET', `/messages/${message_ids[0]}`)).toMatchObject({ body: { status: 'retry' } });
    await store.lane.run((tx) => tx.execute('ALTER TABLE attributes_gone RENAME TO sample_attributes'));
    await erase();
    await pulsekeep.advance(3_600, 4);
    expect((await pulsekeep.admin('GET', `/messages/${message_ids[0]}`)).status).toBe(404);
    await nothingStored();
  });

  it('messages without a known owner are deleted, too', async () => {
    const unread = await pulsekeep.sandbox.control.send({ raw: `{"user_id":"${user.toUpperCase()}", broken` });
    const early = await pulsekeep.sandbox.control.send({
      envelope: false,
      data: { event_type: 'moon.phase.changed', client_user_id: account },
    });
    const unreadById = await pulsekeep.sandbox.control.send({ raw: `{"client_user_id": "${account}", broken` });
    const other = await pulsekeep.sandbox.control.send({ raw: `of nobody, but "${account}x"` });
    await pulsekeep.settle();
    const { store } = pulsekeep.pulsekeep;
    await store.lane.run((tx) => tx.execute('UPDATE messages SET account_id = NULL'));
    await erase();
    await pulsekeep.settle();
    for (const { message_id } of [unread, unreadById, early]) {
      expect((await pulsekeep.admin('GET', `/messages/${message_id}`)).status).toBe(404);
    }
    expect((await pulsekeep.admin('GET', `/messages/${other.message_id}`)).status).toBe(200);
    expect(await tablesWith(store, user)).toEqual([]);
  });

  it('a page that was fetched before is not stored afterwards', async () => {
    const { app, store } = pulsekeep.pulsekeep;
    const resource = resourceByName('mindfulness_minutes');
    if (!resource) throw new Error('no such resource');
    await pulsekeep.admin('POST', `/accounts/${account}/sync`, {
      resources: ['mindfulness_minutes'],
      start: '2026-11-18T00:00:00Z',
    });
    const now = pulsekeep.clock.now();
    const [task] = await store.lane.run((tx) =>
      app.get(PullTasksRepository).claim(tx, now, 1, { running: new Map(), places: 2, calls: ['timeseries'] }),
    );
    const held = task as PullTaskEntity;
    const page = await app
      .get(PageFetcher, { strict: false })
      .fetch(held, resource, user, new AbortController().signal);
    expect(page.records.samples.length).toBeGreaterThan(0);
    const id = await erase();
    await pulsekeep.settle();
    const stored = app.get(PageStore).store(held, resource, page, now);
    await expect(stored).rejects.toMatchObject({ code: 'account_erased' });
    expect(await receipt(id)).toMatchObject({ turned_away: 1 });
    await nothingStored();
  });

  it('neither events, the list of orders, an import nor reads of orders restore anything while upstream has it', async () => {
    await upstreamKeepsUser();
    const id = await erase();
    await pulsekeep.settle();
    expect(await receipt(id)).toMatchObject({ state: 'upstream', error_code: 'upstream_unavailable' });
    await pulsekeep.sandbox.control.configureWebhooks({ paused: true });
    const { order } = await pulsekeep.sandbox.control.createOrder({ user_id: user });
    await pulsekeep.advance(3_700, 2);
    await pulsekeep.sandbox.control.configureWebhooks({ paused: false });
    await put([point(61)]);
    await pulsekeep.advance(3_700, 2);
    expect((await pulsekeep.admin('POST', '/accounts/import')).status).toBe(202);
    await pulsekeep.advance(60);
    expect(await tablesWith(pulsekeep.store, user)).toEqual(['accounts']);
    const ids = { order_id: String(order['id']) };
    expect((await pulsekeep.admin('POST', '/orders', { account_id: account, ...ids })).status).toBe(409);
    const transaction = String((order['order_transaction'] as { id: string }).id);
    expect((await pulsekeep.admin('POST', `/order-transactions/${transaction}/refresh`)).status).toBe(404);
    const counts = await countsOf(pulsekeep.store);
    for (const table of personal) expect([table, counts[table]]).toEqual([table, 0]);
    expect((await receipt(id)).turned_away).toBeGreaterThan(2);
  });

  it('no token is issued, no pull requested and no setting changed', async () => {
    await upstreamKeepsUser();
    await erase();
    const before = await countsOf(pulsekeep.store);
    expect((await pulsekeep.as(account, 'POST', '/me/sign-in-token', {})).status).toBe(409);
    expect((await pulsekeep.as(account, 'POST', '/me/link-token', {})).status).toBe(409);
    expect((await pulsekeep.admin('POST', `/accounts/${account}/sign-in-token`)).status).toBe(409);
    expect((await pulsekeep.admin('POST', `/accounts/${account}/sync`, {})).body).toMatchObject({
      code: 'account_erased',
    });
    const birth = { fallback_birth_date: '1971-03-05' };
    expect((await pulsekeep.admin('PATCH', `/accounts/${account}`, birth)).body).toMatchObject({
      code: 'account_erased',
    });
    expect(await tablesWith(pulsekeep.store, '1971-03-05')).toEqual([]);
    const after = await countsOf(pulsekeep.store);
    expect([after['token_issues'], after['sync_tasks']]).toEqual([before['token_issues'], before['sync_tasks']]);
  });

  it('the id, once opened, is free for a new person, who gets a new upstream user', async () => {
    const id = await erase();
    await pulsekeep.settle();
    await open(id);
    const { status, body } = await pulsekeep.as<{ user_id: string }>(account, 'POST', '/me/sign-in-token', {});
    expect(status).toBe(201);
    expect(body.user_id).not.toBe(user);
    await pulsekeep.advance(3_600);
    const records = await pulsekeep.admin<{ data: unknown[] }>('GET', `/accounts/${account}/records/sleep`);
    expect(records.body.data).toEqual([]);
  });

  it('an upstream user that upstream restores is not adopted, but deleted again [users#undo-a-deletion]', async () => {
    const id = await erase();
    await pulsekeep.settle();
    const undo = await fetch(`${pulsekeep.sandbox.url}/v2/user/undo_delete?user_id=${user}`, {
      method: 'POST',
      headers: { 'x-service-api-key': 'sk_us_sandbox' },
    });
    expect(undo.status).toBe(200);
    await open(id);
    const { status, body } = await pulsekeep.as(account, 'POST', '/me/sign-in-token', {});
    expect([status, body['code']]).toEqual([409, 'account_erased']);
    await put([point(61)]);
    await pulsekeep.settle();
    await pulsekeep.advance(8 * 86_400 + 3_600);
    expect(await receipt(id)).toMatchObject({ state: 'waiting', error_code: 'user_found', verified_at: null });
    const { users } = await pulsekeep.sandbox.control.truthUsers();
    expect(users.map(({ user_id }) => user_id)).not.toContain(user);
    await pulsekeep.advance(8 * 86_400 + 3_600);
    expect(await receipt(id)).toMatchObject({ state: 'done', error_code: null });
    expect(await tablesWith(pulsekeep.store, user)).toEqual([]);
    expect((await pulsekeep.as<{ user_id: string }>(account, 'POST', '/me/sign-in-token', {})).status).toBe(201);
  });

  it('only a digest remains', async () => {
    await erase();
    await pulsekeep.settle();
    const fence = pulsekeep.get(ErasureGuard);
    expect(await fence.isErased({ userId: user.toUpperCase(), clientUserId: null })).toBe(true);
    const other = user.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    expect(await fence.isErased({ userId: other, clientUserId: null })).toBe(false);
    expect(await tablesWith(pulsekeep.store, user)).toEqual([]);
  });
});
