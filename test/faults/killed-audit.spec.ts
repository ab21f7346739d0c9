// .ci/run runs this on PostgreSQL too: its outcome depends on the database.
import { type Sandbox, startSandbox } from '../../sandbox/server.js';
import { entities } from '../../src/app/rooms.js';
import { NetworkGate } from '../../src/platform/platform/network-gate.js';
import { openStore, openWriter } from '../../src/storage/database/store.js';
import { adminCall, adminRows, childEnvironment } from '../support/child-env.js';
import { ChildPulsekeep } from '../support/child-pulsekeep.js';
import { DAY, webhookSecret } from '../support/environment.js';
import { FakeClock } from '../support/fake-clock.js';
import { TestApp } from '../support/test-app.js';
import { type TestDatabase, testDatabase } from '../support/test-store.js';
import { until } from '../support/until.js';

const resource = 'heartrate';
const days = 29;

interface Audit {
  readonly audit_id: number;
  readonly state: string;
  readonly days_total: number;
  readonly days_compared: number;
  readonly calls: number;
}

interface Sample {
  readonly time: string;
  readonly value: number;
}

interface Proof {
  readonly day: string;
  readonly state: string;
  readonly looked_at: string;
}

describe('an audit killed in the middle', () => {
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

  const env = { SYNC_RESOURCES: resource, SYNC_BACKFILL_DAYS: '40' };
  const start = (): Promise<ChildPulsekeep> => ChildPulsekeep.start(childEnvironment(database, sandbox.url, env));
  const admin = <T>(method: string, path: string, body?: unknown): Promise<T> =>
    adminCall<T>(String(running?.url), method, path, body);
  const list = <T>(path: string): Promise<T[]> => adminRows<T>(String(running?.url), path);
  const dateAt = (daysAgo: number): string => new Date(Date.now() - daysAgo * DAY).toISOString().slice(0, 10);

  const stored = (): Promise<Sample[]> => list<Sample>(`/accounts/one/records/${resource}`);

  /** Waits until a call is held back for so long that it does not end in this test, and kills the process. */
  async function killedAtCall(skip: number, action: () => Promise<unknown>): Promise<void> {
    await sandbox.control.fault({ method: 'GET', path: '/v2/timeseries', kind: 'slow', delay_ms: 60_000, skip });
    await action();
    await until(async () => (await sandbox.control.faults()).faults.some(({ struck }) => struck > 0));
    await running?.kill();
    await sandbox.control.clearFaults();
  }

  async function lose(samples: readonly Sample[]): Promise<void> {
    const store = await openStore(await openWriter(database.config, entities), database.config, new NetworkGate());
    for (const { time } of samples) {
      const lost = 'DELETE FROM samples WHERE time = ?';
      expect(await store.lane.run((tx) => tx.execute(lost, [Date.parse(time)]))).toBe(1);
    }
    await store.close();
  }

  it('goes on where it stood, compares no day twice, and repairs each once', async () => {
    const { users } = await sandbox.control.createUsers({ client_user_id: 'one' });
    const user_id = users[0]?.user_id ?? '';
    const history = { days: 35, per_day: 6 };
    await sandbox.control.connect({ user_id, provider: 'oura', resources: [resource], history, notify: false });
    await sandbox.control.settle({ within_seconds: 3600 });
    running = await start();
    await admin('POST', '/accounts', { account_id: 'one' });
    const range = { start: new Date(Date.now() - 37 * DAY).toISOString(), end: new Date().toISOString() };
    await admin('POST', '/accounts/one/sync', { resources: [resource], ...range });
    const { rows } = await sandbox.control.truth(user_id, resource);
    expect(rows.length).toBeGreaterThan(0);
    await until(async () => (await stored()).length === rows.length);
    const samples = await stored();
    await running.kill();
    // Compared before the process is killed, and after that.
    const audited = samples.filter(({ time }) => time > dateAt(days) && time < dateAt(3));
    await lose([audited[0], audited.at(-1)] as Sample[]);
    running = await start();

    let audit_id = 0;
    await killedAtCall(3, async () => {
      const wanted = { account_id: 'one', resource, first_day: dateAt(days + 1), last_day: dateAt(2) };
      audit_id = (await admin<Audit>('POST', '/audits', wanted)).audit_id;
    });
    const read = (): Promise<Audit> => admin<Audit>('GET', `/audits/${audit_id}`);
    const proofs = (url: string): Promise<Proof[]> => adminRows<Proof>(url, '/accounts/one/proofs');

    // Its workers stand still: a process of its own might have compared every day before it is asked.
    const clock = new FakeClock(Date.now());
    const still = await TestApp.create({ env, database, upstream: sandbox, clock, webhooks: false });
    const before = await proofs(still.url);
    await still.close();
    running = await start();
    expect(before.length).toBeGreaterThan(0);
    expect(before.length).toBeLessThan(days);
    expect(before.map(({ state }) => state)).toContain('repairing');
    await until(async () => (await read()).state === 'done');

    expect(await read()).toMatchObject({ days_total: days, days_compared: days, proven: days, repaired: 2 });
    const after = new Map((await proofs(running.url)).map((proof) => [proof.day, proof]));
    const untouched = before.filter(({ state }) => state === 'proven');
    expect(untouched.map(({ day }) => after.get(day))).toEqual(untouched);
    // A look at each day, and one more at each of those that were repaired.
    expect((await read()).calls).toBe(days + 2);
    const rereads = (await list<{ origin: string }>('/sync/tasks')).filter(({ origin }) => origin === 'reread');
    expect(rereads).toHaveLength(2);
    const valuesOf = (list: readonly Sample[]): string[] => list.map(({ time, value }) => `${time} ${value}`);
    expect(valuesOf(await stored())).toEqual(valuesOf(samples));
  });
});
