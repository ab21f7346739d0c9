// .ci/run runs this on PostgreSQL too: its outcome depends on the database.
import { ProcessEntity } from '../../../src/operations/alarms/alarm.entity.js';
import { AlarmsWorker } from '../../../src/operations/alarms/alarms.worker.js';
import { CallLoansWorker } from '../../../src/operations/alarms/call-loans.worker.js';
import { ThisProcess } from '../../../src/platform/platform/this-process.js';
import { UpstreamClient } from '../../../src/upstream/client/upstream.client.js';
import { Budget } from '../../../src/upstream/transport/budget.js';
import { SECOND } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';

const env = { UPSTREAM_REQUESTS_PER_SECOND: '20', UPSTREAM_MAX_CONCURRENCY: '8' };

describe('processes on one database', () => {
  let app: TestApp;
  let other: TestApp;

  beforeEach(async () => {
    app = await TestApp.create({ env });
    other = await app.another({ env });
  });

  afterEach(() => app.close());

  const sharersOf = (of: TestApp): number => of.get(ThisProcess).sharers;
  /** Each says what it sees and reads what the others said. */
  const look = async (...all: TestApp[]): Promise<void> => {
    for (const each of [...all, ...all]) {
      each.clock.advance(15 * SECOND);
      await each.run(AlarmsWorker);
    }
  };
  const list = (of: TestApp): Promise<unknown> =>
    of
      .get(UpstreamClient)
      .listUsers({ offset: 0, limit: 1 }, { priority: 'bulk' })
      .catch((error: unknown) => error);

  it('share the call budget, and have all of it again when they are alone', async () => {
    const isShared = app.store.dialect === 'postgres';
    await look(app, other);
    expect([sharersOf(app), sharersOf(other)]).toEqual(isShared ? [2, 2] : [1, 1]);
    await look(app, app, app, app);
    expect(sharersOf(app)).toBe(1);
  });

  it('lend calls that they do not use, on PostgreSQL', async () => {
    const isShared = app.store.dialect === 'postgres';
    await look(app, other);
    const loans = async (of: TestApp): Promise<void> => {
      of.clock.advance(SECOND / 2);
      await of.run(CallLoansWorker);
    };
    for (let round = 0; round < 6; round++) await loans(other);
    const lending = (await app.table(ProcessEntity).all()).filter(({ lends }) => lends !== null);
    expect(lending.map(({ lends }) => lends)).toEqual(isShared ? [8] : []);

    const caller = new AbortController();
    const calls = Array.from({ length: 10 }, () =>
      app
        .get(Budget)
        .run({ priority: 'bulk' }, caller.signal, () => new Promise(() => undefined))
        .catch(() => 'left'),
    );
    await loans(app);
    expect(app.get(Budget).current.requestsPerSecond).toBe(isShared ? 18 : 20);
    expect(other.get(Budget).current.requestsPerSecond).toBe(isShared ? 2 : 20);
    const { body } = await app.admin<{ upstream: object }>('GET', '/overview/activity');
    expect(body.upstream).toMatchObject({ calls_per_second: isShared ? 18 : 20 });
    caller.abort();
    await Promise.all(calls.slice(8));
    app.clock.advance(SECOND);
    expect(app.get(Budget).current.requestsPerSecond).toBe(isShared ? 10 : 20);
  });

  it('all respect a pause that upstream requested from one of them', async () => {
    await look(app, other);
    await app.sandbox.control.fault({ kind: 'status', status: 429, retry_after: 55, path: '/v2/user' });
    expect(await list(app)).toMatchObject({ reason: 'status', concernsEverybody: true });
    app.clock.advance(15 * SECOND);
    await app.run(AlarmsWorker);
    await other.run(AlarmsWorker);
    expect(await list(other)).toMatchObject({ reason: 'paused', concernsEverybody: true, retryAfterMs: 40_000 });
    expect(await app.callsTo('GET /v2/user')).toBe(1);
  });
});
