import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Sandbox, startSandbox } from '../../../sandbox/server.js';
import { DueReads, orderRead } from '../../../src/labs/orders/due-reads.repository.js';
import { OrdersApply } from '../../../src/labs/orders/orders-apply.service.js';
import { UnmatchedResults } from '../../../src/labs/reviews/unmatched-results.service.js';
import { UpstreamOrders } from '../../../src/labs/upstream-orders/upstream-orders.js';
import type { SqlValue } from '../../../src/storage/database/dialect.js';
import { readMatchReview } from '../../../src/upstream/client/wire-unmatched-results.js';
import { START as now } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';
import { type TestDatabase, testDatabase } from '../../support/test-store.js';
import { insertRow } from './support/rows.js';

const hour = 3_600_000;
const unknown = '00000000-0000-4000-8000-0000000000ff';

const pull = { origin: 'operator', priority: 10 };

/** Tables of due work, with what a row needs besides its lease, and the worker that does it. */
const queues: [table: string, worker: string, row: Record<string, SqlValue>][] = [
  ['messages', 'inbox', { message_id: 'msg_1', status: 'received', size: 2, due_at: now }],
  ['sync_tasks', 'pull', { ...pull, account_id: 1, provider: '', resource: 'sleep', status: 'running' }],
  ['source_polls', 'source-poll', { account_id: 1 }],
  ['due_reads', 'order-refresh', { kind: 'order', scope: 'order', subject_id: unknown, requested_at: now }],
  ['due_reads', 'result-fetch', { kind: 'result', scope: 'order', subject_id: unknown, requested_at: now }],
  ['parsing_jobs', 'parsing-job', { job_id: unknown, account_id: 1, status: 'started', content: '{}' }],
  ['workout_series_fetches', 'workout-series', { account_id: 1, workout_id: unknown, facts: '{}', status: 'due' }],
  ['account_imports', 'account-import', { state: 'running', phase: 'walk', pass: 1 }],
  ['erasures', 'erasure', { id: unknown, account_ref: 7, state: 'deleting', counts: '{}' }],
  ['walks', 'order-sync', { name: 'order_list' }],
  ['walks', 'ingestion-state', { name: 'ingestion_state' }],
  ['walks', 'source-priorities', { name: 'source_priorities' }],
];

describe('work', () => {
  let sandbox: Sandbox;
  let gateway: Server;
  /** Runs when a call reaches upstream, before it is answered. */
  let onCall: (path: string) => Promise<void>;
  let calls: string[];
  let database: TestDatabase;
  let app: TestApp;

  beforeEach(async () => {
    [onCall, calls] = [async () => undefined, []];
    [sandbox, database] = await Promise.all([startSandbox({ timeScale: 0, startAt: now }), testDatabase()]);
    gateway = createServer((request, response) => void pass(request, response).catch(() => response.destroy()));
    await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
    app = await start();
    await insertRow(app.store, 'accounts', {
      account_id: 'ann',
      upstream_user_id: unknown,
      status: 'active',
      created_at: now,
    });
    await insertRow(app.store, 'orders', { order_id: unknown, account_id: 1 });
  });

  afterEach(async () => {
    await app.close();
    await database.drop();
    gateway.closeAllConnections();
    await new Promise((resolve) => gateway.close(resolve));
    await sandbox.close();
  });

  async function pass({ method = 'GET', url = '', headers }: IncomingMessage, response: ServerResponse): Promise<void> {
    calls.push(url);
    await onCall(url);
    const key = String(headers['x-service-api-key']);
    const answer = await fetch(`${sandbox.url}${url}`, { method, headers: { 'x-service-api-key': key } });
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  }

  function start(): Promise<TestApp> {
    const { port } = gateway.address() as AddressInfo;
    return TestApp.create({ upstream: { url: `http://127.0.0.1:${port}` }, database });
  }

  const change = (sql: string): Promise<number> => app.store.lane.run((tx) => tx.execute(sql));
  async function insert(table: string, row: Record<string, SqlValue>): Promise<void> {
    if (table === 'walks') await change('DELETE FROM walks');
    await insertRow(app.store, table, { due_at: now, ...row });
  }
  const rows = (table: string): Promise<Record<string, SqlValue>[]> => app.store.reader.rows(`SELECT * FROM ${table}`);
  async function work(name: string): Promise<void> {
    await app.pulsekeep.workers
      .all()
      .find((loop) => loop.name === name)
      ?.runUntilIdle();
  }

  it.each(queues)(
    'of %s under a lease of a dead process is free at the next start if one process has the store',
    async (table, _worker, row) => {
      await insert(table, { ...row, lease_owner: 'dead', lease_until: now + hour, attempts: 1 });
      await app.pulsekeep.stop();
      app = await start();
      await app.pulsekeep.workers.runUntilIdle();
      const held = (await rows(table)).filter(({ lease_owner }) => lease_owner === 'dead');
      expect(held).toHaveLength(app.store.dialect === 'sqlite' ? 0 : 1);
    },
  );

  it.each(queues)('of %s whose attempts all ended without an outcome is buried untried', async (table, worker, row) => {
    await insert(table, { ...row, lease_owner: 'dead', lease_until: now, attempts: 1_000 });
    await work(worker);
    expect(calls).toEqual([]);
    const [left] = await rows(table);
    expect(left).toMatchObject({ lease_owner: null });
    expect([left?.['error_code'], left?.['reason']]).toContain('abandoned');
    expect(Number(left?.['due_at'] ?? now + hour)).toBeGreaterThan(now);
  });

  it('writes nothing when nothing is due', async () => {
    await app.pulsekeep.workers.runUntilIdle();
    // An alarm that the last round raised is a change that gets its number.
    await app.pulsekeep.workers.runUntilIdle();
    const { lane } = app.store;
    const run = jest.spyOn(lane, 'run');
    await app.pulsekeep.workers.runUntilIdle();
    expect(run).not.toHaveBeenCalled();
  });

  it('is not ended by a late holder in place of the current one', async () => {
    await insert('source_polls', { account_id: 1 });
    const takeOver = `UPDATE source_polls SET lease_owner = 'next', lease_until = ${now + hour}, due_at = ${now + hour}`;
    onCall = async () => void (await change(takeOver));
    await work('source-poll');
    expect(await rows('source_polls')).toMatchObject([
      { lease_owner: 'next', lease_until: now + hour, checked_at: null, error_code: null },
    ]);
  });

  describe('of due_reads of orders', () => {
    let userId: string;
    let orderId: string;

    beforeEach(async () => {
      const { users } = await sandbox.control.createUsers({ count: 1 });
      userId = users[0]?.user_id ?? '';
      ({ id: orderId } = (await sandbox.control.createOrder({ user_id: userId, notify: false })).order);
      await insertRow(app.store, 'orders', { order_id: orderId });
    });

    /** Works on a waiting read of an order, with `during` done in its first call; returns the number of calls. */
    async function read(order_id: string, during: () => Promise<unknown>): Promise<number> {
      await insert('due_reads', { kind: 'order', scope: 'order', subject_id: order_id, requested_at: now });
      const own = (): string[] => calls.filter((path) => path === `/v3/order/${order_id}`);
      onCall = async () => void (own().length === 1 && (await during()));
      await work('order-refresh');
      return own().length;
    }

    /** News about an order that say only that it has changed. */
    function notice(order_id: string, account: number): Promise<unknown> {
      app.clock.advance(1);
      const reported = { account, observedAt: app.clock.now(), source: 'message' } as const;
      return app.store.lane.run((tx) => app.get(OrdersApply).applyNotice(tx, order_id, reported));
    }

    it('is done again at once if news of the order arrived during the read', async () => {
      expect(await read(orderId, () => notice(orderId, 1))).toBe(2);
      expect(await rows('due_reads')).toEqual([]);
    });

    it('is done again at once if news of the order arrived during a read that upstream refused', async () => {
      expect(await read(unknown, () => notice(unknown, 1))).toBe(2);
      expect(await rows('due_reads')).toMatchObject([{ lease_owner: null, error_code: 'not_found' }]);
    });

    it('is kept by news of the order that is newer than a read by another way', async () => {
      await app.store.lane.run((tx) => app.get(DueReads).request(tx, orderRead(orderId), now));
      const { order, ...observed } = await app.get(UpstreamOrders).read(orderId, { priority: 'interactive' });
      await notice(orderId, 1);
      const reported = { ...observed, source: 'list' } as const;
      await app.store.lane.run((tx) => app.get(OrdersApply).applyOrder(tx, order, reported));
      expect(await rows('due_reads')).toMatchObject([{ subject_id: orderId, due_at: now, requested_at: now + 1 }]);
    });

    it('ends with a read of the order of a person who is being erased', async () => {
      const erasing = `UPDATE accounts SET status = 'erasing', upstream_user_id = '${userId}'`;
      expect(await read(orderId, () => change(erasing))).toBe(1);
      expect(await rows('due_reads')).toEqual([]);
    });
  });

  it('of unmatched_results is done again at once if an event arrived during a read that upstream refused', async () => {
    await insert('unmatched_results', { id: unknown, status: 'open', sub_reason_codes: '[]', allowed_actions: '[]' });
    await sandbox.control.fault({ kind: 'status', status: 403, path: '/v3/' });
    onCall = async () => {
      if (calls.length > 1) return;
      app.clock.advance(1);
      const review = readMatchReview({ id: unknown, status: 'open' });
      const at = app.clock.now();
      await app.store.lane.run((tx) => app.get(UnmatchedResults).applyReview(tx, review, { account: 1, at }));
    };
    await work('unmatched-result');
    expect(calls).toHaveLength(2);
    expect(await rows('unmatched_results')).toMatchObject([{ due_at: null, error_code: 'upstream_rejected' }]);
  });

  it.each([
    ['due_reads', 'result-fetch', { kind: 'result', scope: 'order', subject_id: unknown, requested_at: now }],
    ['due_reads', 'order-refresh', { kind: 'order', scope: 'order', subject_id: unknown, requested_at: now }],
  ])('of %s loses no attempt to an outage of upstream', async (table, worker, row) => {
    await insert(table, row);
    await sandbox.control.fault({ kind: 'status', status: 503, path: '/v3/' });
    for (let tries = 0; tries < 20; tries++) {
      await work(worker);
      app.clock.advance(7 * hour);
    }
    expect(await rows(table)).toMatchObject([{ attempts: 0, error_code: 'upstream_unavailable' }]);
    expect(calls.length).toBeGreaterThan(15);
  });

  it.each([
    ['source_polls', 'source-poll', { account_id: 1 }],
    ['due_reads', 'result-fetch', { kind: 'result', scope: 'order', subject_id: unknown, requested_at: now }],
    ['due_reads', 'order-refresh', { kind: 'order', scope: 'order', subject_id: unknown, requested_at: now }],
    ['walks', 'order-sync', { name: 'order_list' }],
    ['walks', 'ingestion-state', { name: 'ingestion_state' }],
    ['walks', 'source-priorities', { name: 'source_priorities' }],
  ])('of %s loses no attempt to a shutdown', async (table, worker, row) => {
    await insert(table, row);
    onCall = async () => void app.pulsekeep.workers.stop(60_000);
    await work(worker);
    const [left] = await rows(table);
    expect(left).toMatchObject({ lease_owner: null, error_code: null, due_at: now });
    expect(left?.['attempts'] ?? left?.['failures']).toBe(0);
  });
});
