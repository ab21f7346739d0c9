import type { OverviewDto } from '../../src/admin/overview.dto.js';
import { OverviewReader } from '../../src/admin/overview.reader.js';
import type { SqlInput } from '../../src/database/dialect.js';
import { funnelSql } from '../../src/link-attempts/link-attempts.reader.js';
import { TestApp } from '../support/test-app.js';

const hour = 3_600_000;
const day = 24 * hour;
const noLinks = { issued: 0, success: 0, confirmed: 0, exit: 0, error: 0, open: 0, expired: 0 };

describe('the overview', () => {
  let app: TestApp;
  let now: number;

  beforeEach(async () => {
    app = await TestApp.create();
    now = app.clock.now();
  });

  afterEach(() => app.close());

  const insert = (table: string, row: Record<string, SqlInput>): Promise<number> =>
    app.store.lane.run((tx) =>
      tx.execute(
        `INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${Object.keys(row)
          .map(() => '?')
          .join(', ')})`,
        Object.values(row),
      ),
    );
  const overview = async (): Promise<OverviewDto> => (await app.admin<OverviewDto>('GET', '/overview')).body;
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
      due_at: status === 'received' || status === 'retry' ? received_at : null,
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
      ...{ pages: 0, records: 0, written: 0, rejected: 0, turns: 0, attempts: 0, restarts: 0 },
    });
  const pull = (
    resource: string,
    status: string,
    observed_at: number,
    scheduled_at: number | null = null,
  ): Promise<number> =>
    insert('historical_pulls', { account_id: 1, provider: 'oura', resource, status, observed_at, scheduled_at });
  const attempt = (id: string, age: number, differences: Record<string, SqlInput> = {}): Promise<number> => {
    const created_at = now - age;
    const times = { created_at, expires_at: created_at + 600_000 };
    return insert('link_attempts', { link_attempt_id: id, account_id: 1, ...times, ...differences });
  };

  it('is empty and quiet in the beginning', async () => {
    expect(await overview()).toEqual({
      at: new Date(now).toISOString(),
      accounts: { pending: 0, active: 0, blocked: 0, erasing: 0 },
      connections: [],
      connection_states: { connected: 0, error: 0, paused: 0, disconnected: 0, other: 0 },
      links: { last_24_hours: noLinks, last_7_days: noLinks, errors: [], providers: [] },
      tokens: { open: true, frequent_installations: 0 },
      inbox: { depth: 0, oldest_received_at: null, oldest_age_seconds: null, dead: 0, last_delivery_at: null },
      sync: {
        lag_seconds: 0,
        tasks: { pending: 0, running: 0, failed: 0 },
        historical_pulls: { failed: 0, oldest_failed_at: null, retrying: 0, stuck: 0, oldest_stuck_at: null },
      },
      orders: {
        needs_redraw: 0,
        critical_results: 0,
        critical_results_last_7_days: 0,
        newest_critical_result_at: null,
      },
      alarms: [],
      versions: {
        pulsekeep: '0.1.0',
        schema: expect.stringMatching(/^[A-Z][A-Za-z]+\d{13}$/),
        database: app.database.config.kind,
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
    await connection(2, 'fitbit', 'a_new_word');
    const { accounts, connections, connection_states } = await overview();
    expect(accounts).toEqual({ pending: 1, active: 2, blocked: 0, erasing: 0 });
    expect(connections).toEqual([
      { provider: 'fitbit', status: 'a_new_word', count: 1 },
      { provider: 'fitbit', status: 'error', count: 1 },
      { provider: 'oura', status: 'connected', count: 2 },
    ]);
    expect(connection_states).toEqual({ connected: 2, error: 1, paused: 0, disconnected: 0, other: 1 });
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
      historical_pulls: {
        failed: 1,
        oldest_failed_at: new Date(now - 8 * day).toISOString(),
        retrying: 1,
        stuck: 0,
        oldest_stuck_at: null,
      },
    });
    expect(old.alarms).toEqual([]);
    await task('failed', null, now - day);
    await pull('fat', 'failure', now - day);
    expect((await overview()).alarms).toMatchObject([
      { code: 'failed_tasks', count: 1 },
      { code: 'failed_historical_pulls', count: 1 },
    ]);
  });

  it('tells of pulls of upstream that do not end, and since when', async () => {
    await account(1, 'active');
    await pull('sleep', 'retrying', now - hour, now - 3 * day);
    await pull('weight', 'in_progress', now - hour, now - day);
    await pull('heartrate', 'scheduled', now - hour, now - day + 1);
    await pull('fat', 'retrying', now - 2 * day, null);
    await pull('hrv', 'success', now - 9 * day, now - 9 * day);
    await pull('steps', 'failure', now - 9 * day, now - 9 * day);
    const { sync, alarms } = await overview();
    const since = new Date(now - 3 * day).toISOString();
    expect(sync.historical_pulls).toMatchObject({ failed: 1, retrying: 2, stuck: 3, oldest_stuck_at: since });
    expect(alarms).toMatchObject([{ code: 'stuck_historical_pulls', count: 3, since }]);
  });

  it('tells how linking goes: of a day, of a week, why not, and with whom', async () => {
    await account(1, 'active');
    const told = { outcome_source: 'report', outcome_at: now };
    const confirmed = { outcome: 'success', outcome_source: 'connection', outcome_at: now };
    await attempt('open', 60_000, { provider: 'oura' });
    await attempt('expired', 600_000);
    await attempt('exit', hour, { ...told, outcome: 'exit' });
    await attempt('success', 23 * hour, { ...confirmed, connected_provider: 'oura' });
    await attempt('unconfirmed', day, { ...told, outcome: 'success', provider: 'oura' });
    await attempt('error', day + 1, { ...told, outcome: 'error', error_type: 'token_expired', provider: 'fitbit' });
    await attempt('error again', 6 * day, { ...told, outcome: 'error', error_type: 'token_expired' });
    await attempt('other error', 7 * day, { ...told, outcome: 'error', error_type: 'provider_api_error' });
    await attempt('long ago', 7 * day + 1, { ...told, outcome: 'exit' });
    const { links } = await overview();
    const week = { issued: 8, success: 2, confirmed: 1, exit: 1, error: 3, open: 1, expired: 1 };
    expect(links).toEqual({
      last_24_hours: { issued: 5, success: 2, confirmed: 1, exit: 1, error: 0, open: 1, expired: 1 },
      last_7_days: week,
      errors: [
        { error_type: 'token_expired', count: 2 },
        { error_type: 'provider_api_error', count: 1 },
      ],
      providers: [
        { provider: null, ...noLinks, issued: 4, exit: 1, error: 2, expired: 1 },
        { provider: 'oura', ...noLinks, issued: 3, success: 2, confirmed: 1, open: 1 },
        { provider: 'fitbit', ...noLinks, issued: 1, error: 1 },
      ],
    });
    const metrics = (await app.call<string>('GET', '/metrics')).body;
    expect(metrics).toContain('pulsekeep_link_attempts{state="success"} 2');
    expect(metrics).toContain('pulsekeep_link_attempts{state="error"} 0');
    expect(metrics).toContain('pulsekeep_link_attempts_confirmed 1');
  });

  it('tells of installations that sign in at every launch', async () => {
    await account(1, 'active');
    await account(2, 'active');
    const issue = (account_id: number, installation_id: string | null, issued_at: number, frequency: number | null) =>
      insert('token_issues', { account_id, kind: 'sign_in', installation_id, issued_at, frequency });
    await issue(1, 'phone', now - 1, 6);
    await issue(1, 'phone', now, 7);
    await issue(2, null, now - hour, 9);
    await issue(2, 'tablet', now - hour, null);
    await issue(2, 'old phone', now - day, 6);
    const { tokens, alarms } = await overview();
    expect(tokens).toEqual({ open: true, frequent_installations: 2 });
    expect(alarms).toMatchObject([{ code: 'frequent_sign_ins', count: 2 }]);
    const first = await app.admin<{ next_cursor: string }>('GET', '/frequent-sign-ins?limit=1', undefined, 'viewer');
    const second = await app.admin('GET', `/frequent-sign-ins?limit=1&cursor=${first.body.next_cursor}`);
    expect([first.body, second.body]).toMatchObject([
      { data: [{ account_id: 'account-1', installation_id: 'phone', tokens: 7, last_issued_at: iso(now) }] },
      { data: [{ account_id: 'account-2', installation_id: null, tokens: 9 }], next_cursor: null },
    ]);
  });

  it('raises an alarm when messages of another team come, for a week', async () => {
    await message('one', 'ignored', now);
    await app.store.lane.run((tx) => tx.execute(`UPDATE messages SET reason = 'foreign_team'`));
    expect((await overview()).alarms).toMatchObject([{ code: 'foreign_messages', count: 1 }]);
    app.clock.advance(7 * day + 1);
    expect((await overview()).alarms).toEqual([]);
  });

  it('raises an alarm while nobody gets tokens', async () => {
    const { status } = await app.admin('PUT', '/token-issuance', { open: false });
    expect(status).toBe(200);
    app.clock.advance(hour);
    const { tokens, alarms } = await overview();
    expect(tokens).toMatchObject({ open: false });
    expect(alarms).toMatchObject([{ code: 'tokens_closed', count: null, since: iso(now) }]);
    expect((await app.call<string>('GET', '/metrics')).body).toContain('pulsekeep_token_issuance_open 0');
    await app.admin('PUT', '/token-issuance', { open: true });
    expect((await overview()).alarms).toEqual([]);
    expect((await app.call<string>('GET', '/metrics')).body).toContain('pulsekeep_token_issuance_open 1');
  });

  it('counts redraws that are owed and critical results', async () => {
    const transaction = { created_at: now, version: 0, observed_at: now };
    await insert('order_transactions', { order_transaction_id: 'one', needs: 'redraw', ...transaction });
    await insert('order_transactions', { order_transaction_id: 'two', needs: null, ...transaction });
    const critical = { order_id: 'o', created_at: now, version: 0 };
    await insert('critical_results', { ...critical, sample_id: 's', observed_at: now });
    await insert('critical_results', { ...critical, sample_id: 'old', observed_at: now - 8 * day });
    const { orders, alarms } = await overview();
    expect(orders).toEqual({
      needs_redraw: 1,
      critical_results: 2,
      critical_results_last_7_days: 1,
      newest_critical_result_at: new Date(now).toISOString(),
    });
    const { body: figures } = await app.call<string>('GET', '/metrics');
    expect(figures).toContain('pulsekeep_critical_results 2');
    expect(figures).toContain('pulsekeep_critical_results_last_7_days 1');
    expect(alarms).toMatchObject([{ code: 'critical_results', count: 1 }]);
  });

  it('raises the alarm of silence when sources are connected and nothing comes for a day', async () => {
    await account(1, 'active');
    await connection(1, 'oura', 'connected');
    await message('last', 'done', now);
    app.clock.advance(day);
    expect((await overview()).alarms).toEqual([]);
    app.clock.advance(1);
    expect((await overview()).alarms).toMatchObject([{ code: 'silence', since: new Date(now).toISOString() }]);
  });

  it('is for whoever holds a key, and for nobody else', async () => {
    expect((await app.admin('GET', '/overview', undefined, 'viewer')).status).toBe(200);
    expect((await app.call('GET', '/admin/v1/overview')).status).toBe(401);
    expect((await app.call('GET', '/admin/v1/overview', `Bearer ${await app.appToken('me')}`)).status).toBe(401);
  });

  it('reads no table that grows without end but through an index', async () => {
    if (app.database.config.kind !== 'sqlite') return;
    const countedWhole = ['accounts', 'connections', 'critical_results', 'migrations'];
    const readBefore = ['frequent', 'newest'];
    const steps: string[] = [];
    for (const sql of [...Object.values(app.get(OverviewReader).sql), ...Object.values(funnelSql)]) {
      const plan = await app.store.reader.rows<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, sinces(sql));
      steps.push(...plan.map(({ detail }) => detail));
    }
    const scans = steps.filter((step) => step.startsWith('SCAN ') && !/^SCAN CONSTANT ROW$/.test(step));
    const tables = scans.map((step) => step.split(' ')[1] ?? '');
    expect(steps.length).toBeGreaterThan(10);
    expect(tables.filter((table) => ![...countedWhole, ...readBefore].includes(table))).toEqual([]);
  });
});

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

function sinces(sql: string): number[] {
  return Array.from(sql.matchAll(/\?/g), () => 0);
}
