// .ci/run runs this on PostgreSQL too: its outcome depends on the database.
import { compareRecords, type StoredRecord } from '../../harness/compare.js';
import { type Sandbox, startSandbox } from '../../sandbox/server.js';
import { adminCall, adminRows, childEnvironment } from '../support/child-env.js';
import { ChildPulsekeep } from '../support/child-pulsekeep.js';
import { webhookSecret } from '../support/environment.js';
import { type TestDatabase, testDatabase } from '../support/test-store.js';
import { until } from '../support/until.js';

const DAYS = 20;
const PAGE = 20;

interface TaskView {
  origin: string;
  status: string;
  pages: number;
  records: number;
}

describe('a backfill killed in the middle of a page', () => {
  let sandbox: Sandbox;
  let database: TestDatabase;
  let running: ChildPulsekeep | null = null;

  beforeEach(async () => {
    sandbox = await startSandbox({ timeScale: 1000, webhookSecret });
    database = await testDatabase();
  });

  afterEach(async () => {
    await running?.kill();
    await sandbox.close();
    await database.drop();
  });

  const start = (): Promise<ChildPulsekeep> =>
    ChildPulsekeep.start(
      childEnvironment(database, sandbox.url, {
        UPSTREAM_MAX_CONCURRENCY: '2',
        SYNC_RESOURCES: 'mindfulness_minutes',
        SYNC_BACKFILL_DAYS: String(DAYS),
      }),
    );
  const admin = <T>(method: string, path: string, body?: unknown): Promise<T> =>
    adminCall<T>(String(running?.url), method, path, body);

  const pageCalls = async () =>
    (await sandbox.control.calls({ path: '/v2/timeseries' })).calls.filter((call) => call.method === 'GET');

  it('continues at its stored cursor, loses nothing and stores nothing twice', async () => {
    await sandbox.control.configure({ page_size: PAGE });
    const { users } = await sandbox.control.createUsers({ client_user_id: 'patient-1' });
    const user_id = users[0]?.user_id ?? '';
    await sandbox.control.connect({ user_id, provider: 'oura', history: { days: DAYS, per_day: 15 }, notify: false });
    await sandbox.control.settle({ within_seconds: 3600 });
    await sandbox.control.fault({ method: 'GET', path: '/v2/timeseries', kind: 'slow', delay_ms: 60_000, skip: 5 });

    running = await start();
    await admin('POST', '/accounts', { account_id: 'patient-1' });
    const end = new Date().toISOString();
    const from = new Date(Date.now() - DAYS * 86_400_000).toISOString();
    await admin('POST', '/accounts/patient-1/sync', { resources: ['mindfulness_minutes'], start: from, end });
    await until(async () => (await sandbox.control.faults()).faults.some((fault) => fault.struck > 0));
    await running.kill();
    const before = await pageCalls();

    expect(before.filter((call) => call.status === 200).length).toBeGreaterThanOrEqual(5);

    await sandbox.control.clearFaults();
    await sandbox.control.clearCalls();
    running = await start();
    await until(async () => {
      const { tasks } = await admin<{ tasks: Record<string, number> }>('GET', '/sync/progress');
      return (tasks['pending'] ?? 0) + (tasks['running'] ?? 0) === 0 && (tasks['done'] ?? 0) > 0;
    });

    const after = await pageCalls();
    expect(after.flatMap((call) => call.query_keys)).toContain('next_cursor');
    const { rows } = await sandbox.control.truth(user_id, 'mindfulness_minutes');
    const stored = await adminRows<StoredRecord>(running.url, '/accounts/patient-1/records/mindfulness_minutes');
    expect(await compareRecords(sandbox.control, user_id, 'mindfulness_minutes', stored)).toEqual({
      upstream: rows.length,
      stored: rows.length,
      differing: 0,
      missing: 0,
      surplus: 0,
    });
    const tasks = await admin<{ data: TaskView[] }>('GET', '/sync/tasks?limit=500');
    const [asked] = tasks.data.filter((task) => task.origin === 'operator');
    expect(asked).toMatchObject({ status: 'done', attempts: 2, restarts: 0 });
    expect(asked?.pages).toBe(Math.ceil(Number(asked?.records) / PAGE));
    expect(asked?.records).toBeGreaterThan(200);
    expect(await running.stop()).toBe(0);
  });
});
