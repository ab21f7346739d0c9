// .ci/run runs this on PostgreSQL too: its outcome depends on the database.
import { compareRecords, type StoredRecord } from '../../harness/compare.js';
import { type Sandbox, startSandbox } from '../../sandbox/server.js';
import { adminCall, adminRows, childEnvironment } from '../support/child-env.js';
import { ChildPulsekeep } from '../support/child-pulsekeep.js';
import { webhookSecret } from '../support/environment.js';
import { type TestDatabase, testDatabase } from '../support/test-store.js';
import { until } from '../support/until.js';

/** A SQLite file belongs to one process, so there is nothing to show there. */
const onPostgres = process.env['TEST_DATABASE_URL'] ? describe : describe.skip;

const resources = ['sleep', 'mindfulness_minutes', 'blood_pressure'];

onPostgres('one process for HTTP and two for work', () => {
  let sandbox: Sandbox;
  let database: TestDatabase;
  let processes: ChildPulsekeep[] = [];

  beforeEach(async () => {
    sandbox = await startSandbox({ timeScale: 500, webhookSecret });
    database = await testDatabase();
    const start = (role: string): Promise<ChildPulsekeep> =>
      ChildPulsekeep.start(childEnvironment(database, sandbox.url, { ROLE: role }));
    processes = await Promise.all([start('api'), start('worker'), start('worker')]);
  });

  afterEach(async () => {
    await Promise.all(processes.map((child) => child.stop()));
    await sandbox.close();
    await database.drop();
  });

  it('end equal to upstream, with each message and page processed once', async () => {
    const [api, worker] = processes as [ChildPulsekeep, ChildPulsekeep];
    await sandbox.control.configureWebhooks({ url: `${api.url}/webhooks` });
    await sandbox.control.fault({ kind: 'duplicate', rate: 0.5 });
    await sandbox.control.fault({ kind: 'shuffle' });
    const { users } = await sandbox.control.createUsers({ count: 5 });
    for (const { user_id } of users) {
      await sandbox.control.connect({ user_id, provider: 'oura', history: { days: 30, per_day: 6 } });
    }
    await until(async () => {
      const state = await sandbox.control.settle({ within_seconds: 3600, timeout_seconds: 1 });
      const { tasks } = await adminCall<{ tasks: Record<string, number> }>(api.url, 'GET', '/sync/progress');
      const { inbox } = await adminCall<{ inbox: { depth: number } }>(api.url, 'GET', '/overview');
      const open = (tasks['pending'] ?? 0) + (tasks['running'] ?? 0) + inbox.depth + state.pulls.open;
      return open === 0 && (tasks['done'] ?? 0) >= users.length * resources.length;
    });

    for (const { user_id, client_user_id } of users) {
      for (const resource of resources) {
        const stored = await adminRows<StoredRecord>(api.url, `/accounts/${client_user_id}/records/${resource}`);
        const { upstream, differing } = await compareRecords(sandbox.control, user_id, resource, stored);
        expect([resource, differing, stored.length]).toEqual([resource, 0, upstream]);
        expect(upstream).toBeGreaterThan(20);
      }
    }
    const messages = await adminRows<{ message_id: string; status: string }>(api.url, '/messages');
    expect(new Set(messages.map((message) => message.status))).toEqual(new Set(['done']));
    expect(new Set(messages.map((message) => message.message_id)).size).toBe(messages.length);

    const probe = await fetch(`${worker.url}/readyz`);
    const closed = await fetch(`${worker.url}/admin/v1/overview`, {
      headers: { authorization: 'Bearer operator-key' },
    });
    expect([probe.status, closed.status]).toEqual([200, 404]);
  });
});
