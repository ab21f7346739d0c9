import type { OverviewDto } from '../../src/admin/overview.dto.js';
import { overviewSql } from '../../src/admin/overview.reader.js';
import type { SqlInput } from '../../src/database/dialect.js';
import { TestPulsekeep } from '../support/test-pulsekeep.js';

const hour = 3_600_000;
const day = 24 * hour;

describe('the overview', () => {
  let test: TestPulsekeep;
  let now: number;

  beforeEach(async () => {
    test = await TestPulsekeep.create();
    now = test.clock.now();
  });

  afterEach(() => test.close());

  const insert = (table: string, row: Record<string, SqlInput>): Promise<number> =>
    test.pulsekeep.store.lane.run((tx) =>
      tx.execute(
        `INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${Object.keys(row)
          .map(() => '?')
          .join(', ')})`,
        Object.values(row),
      ),
    );
  const overview = async (): Promise<OverviewDto> => (await test.admin<OverviewDto>('GET', '/overview')).body;
  const account = (id: number, status: string): Promise<number> =>
    insert('accounts', { id, account_id: `account-${id}`, status, created_at: now, updated_at: now });
  const connection = (account_id: number, provider: string, status: string): Promise<number> =>
    insert('connections', { account_id, provider, status, observed_at: now });
  const message = (message_id: string, status: string, received_at: number): Promise<number> =>
    insert('messages', {
      message_id,
      status,
      received_at,
      sent_at: received_at,
      attempts: 0,
      next_attempt_at: status === 'received' || status === 'retry' ? received_at : null,
      size: 0,
    });
  const task = (status: string, due_at: number | null, finished_at: number | null): Promise<number> =>
    insert('sync_tasks', {
      account_id: 1,
      provider: '',
      resource: 'sleep',
      origin: 'operator',
      priority: 10,
      window_start: 0,
      window_end: 1,
      status,
      due_at,
      finished_at,
      created_at: now,
      ...{ pages: 0, records: 0, written: 0, rejected: 0, attempts: 0, failures: 0, restarts: 0 },
    });
  const pull = (resource: string, status: string, observed_at: number): Promise<number> =>
    insert('historical_pulls', { account_id: 1, provider: 'oura', resource, status, observed_at });

  it('is empty and quiet in the beginning', async () => {
    expect(await overview()).toEqual({
      at: new Date(now).toISOString(),
      accounts: { pending: 0, active: 0, blocked: 0, erasing: 0 },
      connections: [],
      inbox: { depth: 0, oldest_received_at: null, oldest_age_seconds: null, dead: 0, last_delivery_at: null },
      sync: {
        lag_seconds: 0,
        tasks: { pending: 0, running: 0, failed: 0 },
        historical_pulls: { failed: 0, retrying: 0 },
      },
      orders: { needs_redraw: 0, critical_results: 0 },
      alarms: [],
      versions: {
        pulsekeep: '0.1.0',
        schema: expect.stringMatching(/^[A-Z][A-Za-z]+\d{13}$/),
        database: test.database.config.kind,
      },
    });
  });

  it('counts accounts by status and sources by provider and status', async () => {
    await account(1, 'active');
    await account(2, 'active');
    await account(3, 'pending');
    await connection(1, 'oura', 'connected');
    await connection(2, 'oura', 'connected');
    await connection(1, 'fitbit', 'error');
    const { accounts, connections } = await overview();
    expect(accounts).toEqual({ pending: 1, active: 2, blocked: 0, erasing: 0 });
    expect(connections).toEqual([
      { provider: 'fitbit', status: 'error', count: 1 },
      { provider: 'oura', status: 'connected', count: 2 },
    ]);
  });

  it('tells what waits in the inbox and since when', async () => {
    await message('done', 'done', now - 10_000);
    await message('retry', 'retry', now - 90_500);
    await message('new', 'received', now - 1_000);
    await message('dead', 'dead', now - day);
    const { inbox, alarms } = await overview();
    expect(inbox).toEqual({
      depth: 2,
      oldest_received_at: new Date(now - 90_500).toISOString(),
      oldest_age_seconds: 90,
      dead: 1,
      last_delivery_at: new Date(now - 1_000).toISOString(),
    });
    expect(alarms).toMatchObject([{ code: 'dead_messages', count: 1, since: null }]);
  });

  it('tells how late the pulls are and what failed, and raises an alarm for what failed lately', async () => {
    await account(1, 'active');
    await task('pending', now - 30_000, null);
    await task('running', now + 30_000, null);
    await task('failed', null, now - 8 * day);
    await pull('sleep', 'failure', now - 8 * day);
    await pull('weight', 'retrying', now);
    await pull('heartrate', 'success', now);
    const old = await overview();
    expect(old.sync).toEqual({
      lag_seconds: 30,
      tasks: { pending: 1, running: 1, failed: 1 },
      historical_pulls: { failed: 1, retrying: 1 },
    });
    expect(old.alarms).toEqual([]);
    await task('failed', null, now - day);
    await pull('fat', 'failure', now - day);
    expect((await overview()).alarms).toMatchObject([
      { code: 'failed_tasks', count: 1 },
      { code: 'failed_historical_pulls', count: 1 },
    ]);
  });

  it('counts redraws that are owed and critical results', async () => {
    const transaction = { created_at: now, version: 0, observed_at: now };
    await insert('order_transactions', { order_transaction_id: 'one', needs: 'redraw', ...transaction });
    await insert('order_transactions', { order_transaction_id: 'two', needs: null, ...transaction });
    await insert('critical_results', { order_id: 'o', sample_id: 's', created_at: now, version: 0, observed_at: now });
    const { orders, alarms } = await overview();
    expect(orders).toEqual({ needs_redraw: 1, critical_results: 1 });
    expect(alarms).toMatchObject([{ code: 'critical_results', count: 1 }]);
  });

  it('raises the alarm of silence when sources are connected and nothing comes for a day', async () => {
    await account(1, 'active');
    await connection(1, 'oura', 'connected');
    await message('last', 'done', now);
    test.clock.advance(day);
    expect((await overview()).alarms).toEqual([]);
    test.clock.advance(1);
    expect((await overview()).alarms).toMatchObject([{ code: 'silence', since: new Date(now).toISOString() }]);
  });

  it('is for whoever holds a key, and for nobody else', async () => {
    expect((await test.admin('GET', '/overview', undefined, 'viewer')).status).toBe(200);
    expect((await test.call('GET', '/admin/v1/overview')).status).toBe(401);
    expect((await test.call('GET', '/admin/v1/overview', `Bearer ${await test.appToken('me')}`)).status).toBe(401);
  });

  it('reads no table that grows without end but through an index', async () => {
    if (test.database.config.kind !== 'sqlite') return;
    const countedWhole = ['accounts', 'connections', 'critical_results', 'migrations'];
    const steps: string[] = [];
    for (const sql of Object.values(overviewSql)) {
      const plan = await test.pulsekeep.store.reader.rows<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, sinces(sql));
      steps.push(...plan.map(({ detail }) => detail));
    }
    const scans = steps.filter((step) => step.startsWith('SCAN ') && !/^SCAN CONSTANT ROW$/.test(step));
    const tables = scans.map((step) => step.split(' ')[1] ?? '');
    expect(steps.length).toBeGreaterThan(10);
    expect(tables.filter((table) => !countedWhole.includes(table))).toEqual([]);
  });
});

function sinces(sql: string): number[] {
  return Array.from(sql.matchAll(/\?/g), () => 0);
}
