import type { PullDto } from '../../../src/ingest/pulls/sync.dto.js';
import { DiskWatchWorker } from '../../../src/operations/alarms/disk-watch.worker.js';
import type { ForecastDto } from '../../../src/operations/overview/forecast.dto.js';
import type { Page } from '../../../src/platform/platform/paging.js';
import { MAX_COUNTED_TOGETHER } from '../../../src/storage/declarations/declarations.js';
import { FiguresReader } from '../../../src/storage/declarations/figures.reader.js';
import { deliver, processed } from '../../ingest/inbox/support/deliveries.js';
import { event, sleep, type User } from '../../ingest/inbox/support/events.js';
import { newAccountId } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';
import { OverviewCase } from './support/overview-case.js';

const hour = 3_600_000;
const day = 24 * hour;

describe('the overview', () => {
  let app: TestApp;
  let now: number;
  let shown: OverviewCase;

  beforeEach(async () => {
    app = await TestApp.create();
    now = app.clock.now();
    shown = new OverviewCase(app, now);
  });

  afterEach(() => app.close());

  const task = (status: string, due_at: number | null, finished_at: number | null): Promise<number> =>
    shown.insert('sync_tasks', {
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
    shown.insert('historical_pulls', { account_id: 1, provider: 'oura', resource, status, observed_at, scheduled_at });

  it('is empty and without alarms at first', async () => {
    expect(await shown.overview()).toEqual({
      at: new Date(now).toISOString(),
      counted_at: new Date(now).toISOString(),
      accounts: { pending: 0, active: 0, blocked: 0, erasing: 0, user_gone: 0 },
      connections: [],
      consumers_lagging: 0,
      connection_states: { connected: 0, error: 0, paused: 0, disconnected: 0, other: 0 },
      retired_sources: 0,
      source_priorities: { set: 0, upstream_read_at: null, upstream_unreadable: 0 },
      tokens: { open: true, frequent_installations: 0 },
      inbox: {
        depth: 0,
        oldest_received_at: null,
        oldest_age_seconds: null,
        dead: 0,
        last_delivery_at: null,
        broker_consumed: null,
      },
      sync: {
        lag_seconds: 0,
        tasks: { pending: 0, running: 0, failed: 0 },
        historical_pulls: { failed: 0, oldest_failed_at: null, retrying: 0, stuck: 0, oldest_stuck_at: null },
      },
      waiting: [],
      audits: {
        ...{ different: 0, held: 0, faults: 0, oldest_proof_at: null, compared: 0 },
        ...{
          proven_share_7_days: 0,
          proven_share_30_days: 0,
          differed_7_days: 0,
          differences_7_days: [],
          calls_7_days: 0,
        },
      },
      orders: {
        needs_redraw: 0,
        redraws_untold: 0,
        unreadable: 0,
        results_to_review: 0,
        oldest_result_to_review_at: null,
        critical_results: 0,
        critical_results_untold: 0,
        newest_critical_result_at: null,
      },
      alarms: [],
      replica: null,
      versions: {
        pulsekeep: '0.9.0',
        schema: expect.stringMatching(/^[A-Z][A-Za-z]+\d{13}$/),
        database: app.database.config.kind,
      },
    });
  });

  it('counts accounts by status and sources by provider and status', async () => {
    await shown.account(1, 'active');
    await shown.account(2, 'active');
    await shown.account(3, 'pending');
    await shown.connection(1, 'oura', 'connected');
    await shown.connection(2, 'oura', 'connected');
    await shown.connection(1, 'fitbit', 'error');
    await shown.connection(2, 'fitbit', 'a_new_word');
    const { accounts, connections, connection_states } = await shown.overview();
    expect(accounts).toEqual({ pending: 1, active: 2, blocked: 0, erasing: 0, user_gone: 0 });
    expect(connections).toEqual([
      { provider: 'fitbit', status: 'a_new_word', count: 1, successor: 'google_health' },
      { provider: 'fitbit', status: 'error', count: 1, successor: 'google_health' },
      { provider: 'oura', status: 'connected', count: 2, successor: null },
    ]);
    expect(connection_states).toEqual({ connected: 2, error: 1, paused: 0, disconnected: 0, other: 1 });
  });

  it('shows how many messages wait in the inbox and since when', async () => {
    await shown.message('dead', 'dead', now - day);
    await shown.message('done', 'done', now - 10_000);
    await shown.message('retry', 'retry', now - 90_500);
    await shown.message('new', 'received', now - 1_000);
    const { inbox, alarms } = await shown.overview();
    expect(inbox).toEqual({
      depth: 2,
      oldest_received_at: new Date(now - 90_500).toISOString(),
      oldest_age_seconds: 90,
      dead: 1,
      last_delivery_at: new Date(now - 1_000).toISOString(),
      broker_consumed: null,
    });
    expect(alarms).toMatchObject([{ code: 'dead_messages', count: 1, since: iso(now), raised_at: iso(now) }]);
  });

  it('shows late and failed pulls, and raises an alarm for recent failures', async () => {
    await shown.account(1, 'active');
    await task('pending', now - 30_000, null);
    await task('running', now + 30_000, null);
    await task('failed', null, now - 8 * day);
    await pull('sleep', 'failure', now - 8 * day);
    await pull('weight', 'retrying', now);
    await pull('heartrate', 'success', now);
    const old = await shown.overview();
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
    expect((await shown.overview()).alarms).toMatchObject([
      { code: 'failed_tasks', count: 1 },
      { code: 'failed_historical_pulls', count: 1 },
    ]);
  });

  it('shows pulls of upstream that do not end, and since when', async () => {
    await shown.account(1, 'active');
    await pull('sleep', 'retrying', now - hour, now - 3 * day);
    await pull('weight', 'in_progress', now - hour, now - day);
    await pull('heartrate', 'scheduled', now - hour, now - day + 1);
    await pull('fat', 'retrying', now - 2 * day, null);
    await pull('hrv', 'success', now - 9 * day, now - 9 * day);
    await pull('steps', 'failure', now - 9 * day, now - 9 * day);
    const { sync, alarms } = await shown.overview();
    const since = new Date(now - 3 * day).toISOString();
    expect(sync.historical_pulls).toMatchObject({ failed: 1, retrying: 2, stuck: 3, oldest_stuck_at: since });
    expect(alarms).toMatchObject([{ code: 'stuck_historical_pulls', count: 3, since }]);
    const listed = async (stuck: boolean): Promise<string[]> => {
      const { body } = await shown.app.admin<Page<PullDto>>('GET', `/historical-pulls?stuck=${stuck}`);
      return body.data.map(({ resource }) => resource);
    };
    expect(await listed(true)).toEqual(['fat', 'sleep', 'weight']);
    expect(await listed(false)).toEqual(['heartrate', 'hrv', 'steps']);
  });

  it('counts due redraws and critical results', async () => {
    const transaction = { created_at: now, version: 0, observed_at: now };
    await shown.insert('order_transactions', { order_transaction_id: 'one', needs: 'redraw', ...transaction });
    await shown.insert('order_transactions', { order_transaction_id: 'two', needs: null, ...transaction });
    const critical = { order_id: 'o', created_at: now, version: 0 };
    await shown.insert('critical_results', { ...critical, finding: 's', observed_at: now });
    const told = { notified_at: now, notified_by: 'ops', notified_how: 'phone' };
    await shown.insert('critical_results', {
      ...critical,
      order_id: 'told',
      finding: 's',
      observed_at: now - 8 * day,
      ...told,
    });
    const { orders, alarms } = await shown.overview();
    expect(orders).toEqual({
      needs_redraw: 1,
      redraws_untold: 1,
      unreadable: 0,
      results_to_review: 0,
      oldest_result_to_review_at: null,
      critical_results: 2,
      critical_results_untold: 1,
      newest_critical_result_at: new Date(now).toISOString(),
    });
    const { body: figures } = await app.call<string>('GET', '/metrics');
    expect(figures).toContain('pulsekeep_critical_results 2');
    expect(figures).toContain('pulsekeep_critical_results_untold 1');
    expect(alarms).toMatchObject([
      { code: 'critical_results', count: 1, since: new Date(now).toISOString() },
      { code: 'redraws_untold', count: 1 },
    ]);
  });

  it('needs a key', async () => {
    expect((await app.admin('GET', '/overview', undefined, 'viewer')).status).toBe(200);
    expect((await app.call('GET', '/admin/v1/overview')).status).toBe(401);
    expect((await app.call('GET', '/admin/v1/overview', `Bearer ${await app.appToken('me')}`)).status).toBe(401);
  });

  it('forecasts what people store from some of them, and says nothing that was not measured', async () => {
    const forecast = async (): Promise<ForecastDto> => (await app.admin<ForecastDto>('GET', '/overview/forecast')).body;
    const isFile = app.database.config.kind === 'sqlite';
    const unseen = { free_bytes: null, days_left: null, reason: 'not_visible' };
    const fresh = { free_bytes: expect.any(Number), days_left: null, reason: 'no_history' };
    await app.run(DiskWatchWorker);
    expect(await forecast()).toMatchObject({
      ...{ accounts: 0, days: 7, bytes_a_person_and_day: null, reason: 'no_accounts', resources: [] },
      disk: isFile ? fresh : unseen,
    });
    const user = await userOf(app, newAccountId());
    const points = Array.from({ length: 70 }, (_, minute) => ({
      ...{
        timestamp: new Date(now - day - minute * 60_000).toISOString(),
        timezone_offset: 0,
        unit: 'count',
        value: 1,
      },
    }));
    const steps = { source: { provider: 'oura', type: 'ring' }, data: points };
    for (const [type, data] of [
      ['steps', steps],
      ['heartrate', { ...steps, data: points.map((point) => ({ ...point, unit: 'bpm', value: 60 })) }],
      ['sleep', sleep(user)],
    ] as const)
      expect(await deliver(app, event(`daily.data.${type}.created`, user, data))).toBe(204);
    await processed(app);
    const unknown = await forecast();
    if (!isFile) {
      expect(unknown).toMatchObject({ accounts: 1, bytes_a_person_and_day: null, reason: 'not_counted_yet' });
      await app.store.lane.run((tx) => tx.execute('ANALYZE samples'));
    }
    const { resources, bytes_a_person_and_day: all, reason } = await forecast();
    const of = (name: string) => resources.find(({ resource }) => resource === name);
    expect([of('steps'), of('sleep')]).toMatchObject([
      { samples: 10, summaries: 0, bytes_thinned: null },
      { samples: 0, summaries: 0.1, bytes_thinned: null },
    ]);
    const hours = new Set(points.map(({ timestamp }) => timestamp.slice(0, 13))).size;
    expect(of('heartrate')?.bytes_thinned).toBeCloseTo((hours * (isFile ? 88 : 183)) / 7, 0);
    if (isFile) expect(of('steps')?.bytes).toBe(312);
    expect(reason).toBeNull();
    expect(all).toBeCloseTo(resources.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0));
  });

  it('counts connections of many people one provider and state after another', async () => {
    const many = MAX_COUNTED_TOGETHER + 200;
    await app.store.lane.run(async (tx) => {
      const numbers = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${many})`;
      await tx.execute(
        `${numbers} INSERT INTO accounts (account_id, status, created_at, updated_at)
         SELECT 'many' || i, 'active', 0, 0 FROM n`,
      );
      for (const provider of ['polar', 'whoop']) {
        await tx.execute(
          `INSERT INTO connections (account_id, provider, status, observed_at)
           SELECT id, '${provider}', CASE WHEN id % 100 = 0 THEN 'error' ELSE 'connected' END, 0
           FROM accounts WHERE account_id LIKE 'many%'`,
        );
      }
    });
    const figures = app.get(FiguresReader);
    const counts = ({ connections }: Awaited<ReturnType<FiguresReader['read']>>): object[] =>
      connections.filter(({ provider }) => ['polar', 'whoop'].includes(provider));
    const kinds = (connected: number): object[] =>
      ['polar', 'whoop'].flatMap((provider) => [
        { provider, status: 'connected', count: connected },
        { provider, status: 'error', count: many / 100 },
      ]);
    expect(counts(await figures.read(now))).toEqual(kinds(many - many / 100));
  });

  it('reads growing tables only through an index', async () => {
    if (app.database.config.kind !== 'sqlite') return;
    const countedWhole = [
      ...['accounts', 'critical_results', 'migrations'],
      ...['change_consumers', 'subscriptions', 'subscription_lanes'],
      // Its first row.
      'access_log_pending',
    ];
    // Recursions over the providers and states of connections, and counts of up to a thousand of each.
    const sought = ['p', 'k', 'counted', 'providers', 'kinds'];
    const readBefore = [...sought, 'due', 'frequent', 'newest', 'longest_10', 'longest_20', 'longest_30', 'longest_40'];
    const steps: string[] = [];
    for (const sql of Object.values(app.get(FiguresReader).sql)) {
      const plan = await app.store.reader.rows<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, sinces(sql));
      steps.push(...plan.map(({ detail }) => detail));
    }
    // An index of the few connections with another account.
    const short = /^SCAN (?:CONSTANT ROW|connections USING INDEX connections_other_account)$/;
    const scans = steps.filter((step) => step.startsWith('SCAN ') && !short.test(step));
    const tables = scans.map((step) => step.split(' ')[1] ?? '');
    expect(steps.length).toBeGreaterThan(10);
    expect(tables.filter((table) => ![...countedWhole, ...readBefore].includes(table))).toEqual([]);
  });
});

async function userOf(app: TestApp, client_user_id: string): Promise<User> {
  const { user_id } = (await app.as(client_user_id, 'POST', '/me/sign-in-token', {})).body;
  const team = await app.store.reader.row<{ team_id: string }>('SELECT team_id FROM database_identity');
  return { user_id, client_user_id, team_id: String(team?.team_id) };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

function sinces(sql: string): number[] {
  return Array.from(sql.matchAll(/\?/g), () => 0);
}
