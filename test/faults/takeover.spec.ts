// .ci/run runs this on PostgreSQL too: its outcome depends on the database.
import pg from 'pg';
import { type Sandbox, startSandbox } from '../../sandbox/server.js';
import { adminCall, childEnvironment } from '../support/child-env.js';
import { ChildPulsekeep } from '../support/child-pulsekeep.js';
import { webhookSecret } from '../support/environment.js';
import { type TestDatabase, testDatabase } from '../support/test-store.js';
import { until } from '../support/until.js';

/** A SQLite file belongs to one process, which frees at its start what the one before held. */
const onPostgres = process.env['TEST_DATABASE_URL'] ? describe : describe.skip;

interface Lease {
  readonly lease_owner: string;
  readonly lease_until: number;
}

onPostgres('work of a process that is killed, beside one that lives', () => {
  let sandbox: Sandbox;
  let database: TestDatabase;
  let db: pg.Client;
  const processes: ChildPulsekeep[] = [];

  beforeEach(async () => {
    sandbox = await startSandbox({ timeScale: 1000, webhookSecret });
    database = await testDatabase();
    if (database.config.kind !== 'postgres') throw new Error('This is about PostgreSQL.');
    db = new pg.Client({ connectionString: database.config.url.reveal() });
    await db.connect();
  });

  afterEach(async () => {
    await Promise.all(processes.splice(0).map((child) => child.kill()));
    await db.end();
    await sandbox.close();
    await database.drop();
  });

  async function start(): Promise<ChildPulsekeep> {
    const child = await ChildPulsekeep.start(
      childEnvironment(database, sandbox.url, { SYNC_RESOURCES: 'mindfulness_minutes' }),
    );
    processes.push(child);
    return child;
  }

  async function lease(): Promise<Lease | undefined> {
    const { rows } = await db.query<Lease>(
      `SELECT lease_owner, lease_until FROM sync_tasks WHERE origin = 'operator' AND lease_owner IS NOT NULL`,
    );
    return rows[0];
  }

  it('stays with it while it lives and works, and is then taken over', async () => {
    const first = await start();
    await adminCall(first.url, 'POST', '/accounts', { account_id: 'patient-1' });
    await sandbox.control.fault({ method: 'GET', path: '/v2/timeseries', kind: 'slow', delay_ms: 120_000 });
    const asked = { resources: ['mindfulness_minutes'], start: '2026-11-01', end: '2026-11-02' };
    await adminCall(first.url, 'POST', '/accounts/patient-1/sync', asked);
    await until(async () => (await lease()) !== undefined);
    const before = (await lease()) as Lease;
    const second = await start();
    await until(async () => Number((await lease())?.lease_until) > Number(before.lease_until));
    expect((await lease())?.lease_owner).toBe(before.lease_owner);

    await first.kill();
    await sandbox.control.clearFaults();
    await until(async () => {
      const { tasks } = await adminCall<{ tasks: Record<string, number> }>(second.url, 'GET', '/sync/progress');
      return (tasks['pending'] ?? 0) + (tasks['running'] ?? 0) === 0;
    });
    const { rows } = await db.query(`SELECT status, turns, attempts FROM sync_tasks WHERE origin = 'operator'`);
    expect(rows).toEqual([{ status: 'done', turns: 2, attempts: 0 }]);
  });
});
