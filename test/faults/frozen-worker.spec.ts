// .ci/run runs this on PostgreSQL too: its outcome depends on the database.
import pg from 'pg';
import { type Sandbox, startSandbox } from '../../sandbox/server.js';
import { adminCall, adminRows, childEnvironment } from '../support/child-env.js';
import { ChildPulsekeep } from '../support/child-pulsekeep.js';
import { webhookSecret } from '../support/environment.js';
import { signedMessage } from '../support/signed-message.js';
import { behindProxy, type TcpProxy } from '../support/tcp-proxy.js';
import { type TestDatabase, testDatabase } from '../support/test-store.js';
import { until } from '../support/until.js';

/** A SQLite file belongs to one process: nobody else waits for it. */
const onPostgres = process.env['TEST_DATABASE_URL'] ? describe : describe.skip;

/** Between two statements of a transaction, so that it can be frozen there. */
const PAUSE_MS = 100;
const MESSAGES = 30;

onPostgres('a worker frozen inside a transaction', () => {
  let sandbox: Sandbox;
  let database: TestDatabase;
  let network: TcpProxy;
  let db: pg.Client;
  let api: ChildPulsekeep;
  let frozen: ChildPulsekeep;
  let other: ChildPulsekeep | undefined;
  let sent = 0;

  beforeEach(async () => {
    sandbox = await startSandbox({ webhookSecret });
    database = await testDatabase();
    if (database.config.kind !== 'postgres') throw new Error('This is about PostgreSQL.');
    db = new pg.Client({ connectionString: database.config.url.reveal() });
    await db.connect();
    const proxied = await behindProxy(database);
    network = proxied.network;
    api = await start(database, 'api');
    frozen = await start(proxied.through, 'worker');
  });

  afterEach(async () => {
    frozen.goOn();
    for (const child of [api, frozen, other]) await child?.kill();
    await network.close();
    await db.end();
    await sandbox.close();
    await database.drop();
  });

  const start = (on: TestDatabase, role: string): Promise<ChildPulsekeep> =>
    ChildPulsekeep.start(childEnvironment(on, sandbox.url, { ROLE: role }));

  async function send(userId: string, count: number): Promise<void> {
    for (let times = 0; times < count; times++) {
      const time = new Date(Date.UTC(2026, 10, 1) + sent * 60_000).toISOString();
      const { headers, body } = signedMessage(`msg_${sent++}`, {
        event_type: 'daily.data.heartrate.created',
        user_id: userId,
        client_user_id: 'patient-1',
        data: { source: { provider: 'oura', type: 'ring' }, data: [{ timestamp: time, value: 60, unit: 'bpm' }] },
      });
      expect((await fetch(`${api.url}/webhooks`, { method: 'POST', headers, body })).status).toBe(204);
    }
  }

  async function settled(): Promise<void> {
    await until(async () => {
      const messages = await adminRows<{ status: string }>(api.url, '/messages');
      return messages.length === sent && messages.every(({ status }) => status === 'done');
    });
  }

  /** Transactions that have written, and those of them that do nothing for longer than between two statements. */
  async function transactions(): Promise<{ writing: number; idle: number }> {
    const { rows } = await db.query<{ writing: number; idle: number }>(
      `SELECT count(backend_xid) AS writing, count(backend_xid) FILTER (WHERE state = 'idle in transaction'
         AND state_change < clock_timestamp() - interval '${3 * PAUSE_MS} ms') AS idle
       FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`,
    );
    return rows[0] ?? { writing: 0, idle: 0 };
  }

  async function freezeInTransaction(): Promise<void> {
    for (let isIdle = false; !isIdle; ) {
      frozen.goOn();
      await until(async () => (await transactions()).writing > 0);
      frozen.freeze();
      await until(async () => {
        const { writing, idle } = await transactions();
        isIdle = idle > 0;
        return isIdle || writing === 0;
      });
    }
  }

  it('does not block other workers, and does nothing twice when it continues', async () => {
    await adminCall(api.url, 'POST', '/accounts', { account_id: 'patient-1' });
    const userId = (await sandbox.control.truthUsers()).users[0]?.user_id ?? '';
    network.slow(PAUSE_MS);
    await send(userId, MESSAGES);
    await freezeInTransaction();
    other = await start(database, 'worker');
    await settled();
    await until(async () => (await transactions()).idle === 0);

    network.mend();
    frozen.goOn();
    await other.kill();
    await send(userId, MESSAGES);
    await settled();
    const records = await adminRows(api.url, '/accounts/patient-1/records/heartrate');
    expect(records).toHaveLength(2 * MESSAGES);
    const { rows } = await db.query('SELECT count(*) AS count FROM observations');
    expect(rows).toEqual([{ count: 2 * MESSAGES }]);
  });
});
