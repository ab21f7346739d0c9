import { type Sandbox, startSandbox } from '../../../sandbox/server.js';
import { adminCall, adminRows, childEnvironment, operatorKey } from '../../support/child-env.js';
import { ChildPulsekeep } from '../../support/child-pulsekeep.js';
import { webhookSecret } from '../../support/environment.js';
import { type TestDatabase, testDatabase } from '../../support/test-store.js';
import { until } from '../../support/until.js';

interface Entry {
  seq: number;
  action: string;
  status: number;
  request_id: string;
}

const onPostgres = process.env['TEST_DATABASE_URL'] ? it : it.skip;
const records = 'GET /admin/v1/accounts/:account_id/records/:resource';

describe('the access log of processes', () => {
  let sandbox: Sandbox;
  let database: TestDatabase;
  let running: ChildPulsekeep[];

  beforeEach(async () => {
    sandbox = await startSandbox({ webhookSecret });
    database = await testDatabase();
    running = [];
  });

  afterEach(async () => {
    await Promise.all(running.map((child) => child.kill()));
    await sandbox.close();
    await database.drop();
  });

  const start = async (): Promise<ChildPulsekeep> => {
    const child = await ChildPulsekeep.start(childEnvironment(database, sandbox.url));
    running.push(child);
    return child;
  };

  /**
   * Reads records again and again until the process is gone or it was so often; answers the requests that got values.
   */
  async function read(url: string, name: string, times = Number.POSITIVE_INFINITY): Promise<string[]> {
    const answered: string[] = [];
    for (let index = 0; index < times; index++) {
      const id = `${name}-${index}`;
      const headers = { authorization: `Bearer ${operatorKey}`, 'x-request-id': id };
      const path = '/admin/v1/accounts/patient-1/records/sleep';
      const answer = await fetch(`${url}${path}`, { headers })
        .then(async (response) => ({ status: response.status, text: await response.text() }))
        .catch(() => null);
      if (!answer) break;
      if (answer.status === 200) answered.push(id);
    }
    return answered;
  }

  const isWhole = async (url: string, entries: readonly Entry[]): Promise<void> => {
    expect(await adminCall(url, 'GET', '/access-log/verification')).toMatchObject({ intact: true, broken_at: null });
    const seqs = entries.map(({ seq }) => seq).sort((a, b) => a - b);
    expect(seqs).toEqual(seqs.map((_, index) => index + 1));
  };

  const acts = async (url: string): Promise<Entry[]> =>
    (await adminRows<Entry>(url, '/access-log')).filter(({ action }) => action === 'POST /admin/v1/accounts');

  it('has an act that was interrupted by a kill as begun and without a result', async () => {
    await sandbox.control.fault({ method: 'POST', path: '/v2/user', kind: 'slow', delay_ms: 60_000 });
    const first = await start();
    const cut = adminCall(first.url, 'POST', '/accounts', { account_id: 'patient-1' }).catch(() => 'cut off');
    await until(async () => (await acts(first.url)).length > 0);
    await first.kill();
    expect(await cut).toBe('cut off');
    await sandbox.control.clearFaults();
    const second = await start();
    expect((await acts(second.url)).map(({ status }) => status)).toEqual([102]);
    await isWhole(second.url, await adminRows<Entry>(second.url, '/access-log'));
  });

  it('has every read with a response before a kill, and is intact', async () => {
    const first = await start();
    await adminCall(first.url, 'POST', '/accounts', { account_id: 'patient-1' });
    const readers = Promise.all(Array.from({ length: 8 }, (_, index) => read(first.url, `reader-${index}`)));
    await until(async () => (await adminRows<Entry>(first.url, '/access-log')).length > 100);
    await first.kill();
    const answered = (await readers).flat();
    const second = await start();
    const entries = await adminRows<Entry>(second.url, '/access-log');
    const recorded = new Set(entries.filter(({ action }) => action === records).map(({ request_id }) => request_id));
    expect(answered.length).toBeGreaterThan(50);
    expect(answered.filter((id) => !recorded.has(id))).toEqual([]);
    await isWhole(second.url, entries);
  });

  onPostgres('is one chain for the reads of all processes', async () => {
    const [one, other] = await Promise.all([start(), start()]);
    await adminCall(one.url, 'POST', '/accounts', { account_id: 'patient-1' });
    const answered = await Promise.all(
      Array.from({ length: 10 }, (_, index) => read(index % 2 ? one.url : other.url, `reader-${index}`, 20)),
    );
    expect(answered.flat()).toHaveLength(200);
    const entries = await adminRows<Entry>(one.url, '/access-log');
    const recorded = entries.filter(({ action }) => action === records).map(({ request_id }) => request_id);
    expect(recorded.sort()).toEqual(answered.flat().sort());
    await isWhole(other.url, entries);
  });
});
