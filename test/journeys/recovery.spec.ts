import { compareWithTruth } from '../support/compare.js';
import { newAccountId } from '../support/environment.js';
import { TestApp } from '../support/test-app.js';

interface Recovery {
  [field: string]: unknown;
  recovery_id: number;
  state: string;
  share_done: number;
}

const day = 86_400_000;
const synced = ['sleep', 'mindfulness_minutes', 'blood_pressure'];

describe('after an outage', () => {
  let app: TestApp;
  let people: { account_id: string; user_id: string }[];
  let window: { from: string; to: string };

  beforeEach(async () => {
    app = await TestApp.create();
    people = [];
    for (let index = 0; index < 3; index++) {
      const account_id = newAccountId();
      people.push({ account_id, user_id: await app.connect(account_id, 'oura', { days: 10, per_day: 4 }) });
    }
    await app.advance(900, 6);
    const ago = (days: number): string => new Date(app.clock.now() - days * day).toISOString();
    window = { from: ago(12), to: ago(0) };
  });

  afterEach(() => app.close());

  /** What devices told upstream days ago and reached it in the outage: too old for the regular pulls to see. */
  const outage = async (): Promise<void> => {
    await app.sandbox.control.fault({ kind: 'lose' });
    for (const { user_id } of people) {
      for (const resource of synced) {
        await app.sandbox.control.edit({ user_id, resource, count: 5 });
      }
      const start = new Date(app.clock.now() - 5 * day - 1_234_000).toISOString();
      const points = [{ start, end: start, value: 17 }];
      await app.sandbox.control.put({ user_id, provider: 'oura', resource: 'mindfulness_minutes', points });
    }
    await app.advance(7_200, 4);
    await app.sandbox.control.clearFaults('lose');
  };

  const differing = async (): Promise<number> => {
    let sum = 0;
    for (const person of people) {
      for (const resource of synced) {
        const compared = await compareWithTruth(app, person, resource);
        sum += compared.differing + Math.abs(compared.upstream - compared.stored);
      }
    }
    return sum;
  };

  const look = async (id: number): Promise<Recovery> =>
    (await app.admin<Recovery>('GET', `/sync/recoveries/${id}`, undefined, 'viewer')).body;

  it('the store equals upstream once the window was recovered', async () => {
    await outage();
    expect(await differing()).toBeGreaterThan(0);

    const tried = await app.admin('POST', '/sync/recover', { ...window, dry_run: true });
    expect([tried.status, tried.body]).toEqual([200, expect.objectContaining({ accounts: 3, sources: 3, pulls: 9 })]);
    const asked = await app.admin<Recovery>('POST', '/sync/recover', window);
    expect([asked.status, asked.body.state]).toEqual([202, 'planning']);
    const again = await app.admin<Recovery>('POST', '/sync/recover', window);
    expect(again.body.recovery_id).toBe(asked.body.recovery_id);
    await app.advance(60);

    const after = await look(asked.body.recovery_id);
    expect(after).toMatchObject({ state: 'done', planned: 9, done: 9, failed: 0, pending: 0, share_done: 1 });
    expect(after['calls']).toBeGreaterThanOrEqual(Number(tried.body['pulls']));
    expect(await differing()).toBe(0);
  });

  it('the recovery continues in another process where it was interrupted', async () => {
    await outage();
    await app.sandbox.control.fault({ kind: 'status', status: 503, path: '/v2/timeseries', skip: 2 });
    const asked = await app.admin<Recovery>('POST', '/sync/recover', window);
    await app.settle();
    const before = await look(asked.body.recovery_id);
    expect(before.state).toBe('pulling');
    expect(before.share_done).toBeGreaterThan(0);
    expect(before.share_done).toBeLessThan(1);
    await app.pulsekeep.stop();

    await app.sandbox.control.clearFaults();
    const { database, sandbox: upstream, clock } = app;
    const restarted = await TestApp.create({ database, upstream, clock });
    await restarted.advance(1_800, 4);
    const after = await restarted.admin<Recovery>('GET', `/sync/recoveries/${asked.body.recovery_id}`);
    expect(after.body).toMatchObject({ state: 'done', done: 9, failed: 0, share_done: 1 });
    for (const person of people) {
      for (const resource of synced) {
        const compared = await compareWithTruth(restarted, person, resource);
        expect([resource, compared.differing, compared.stored]).toEqual([resource, 0, compared.upstream]);
      }
    }
    await restarted.close();
  });

  it('orders and sources of the outage are found', async () => {
    const [person] = people;
    const user_id = person?.user_id ?? '';
    await app.sandbox.control.fault({ kind: 'lose' });
    const { order } = await app.sandbox.control.createOrder({ user_id });
    await app.sandbox.control.connect({ user_id, provider: 'fitbit', history: { days: 5, per_day: 3 } });
    await app.sandbox.control.advance(600);
    await app.sandbox.control.clearFaults('lose');
    expect((await app.admin('GET', `/orders/${order.id}`)).status).toBe(404);

    await app.admin('POST', '/sync/recover', window);
    await app.advance(60);

    expect((await app.admin('GET', `/orders/${order.id}`)).body).toMatchObject({ account_id: person?.account_id });
    const account = await app.admin<{ connections: { provider: string }[] }>('GET', `/accounts/${person?.account_id}`);
    expect(account.body.connections.map(({ provider }) => provider)).toEqual(['fitbit', 'oura']);
    expect(await differing()).toBe(0);
  });
});
