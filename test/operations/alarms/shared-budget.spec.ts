import { AlarmsWorker } from '../../../src/operations/alarms/alarms.worker.js';
import { ThisProcess } from '../../../src/platform/platform/this-process.js';
import { UpstreamClient } from '../../../src/upstream/client/upstream.client.js';
import { SECOND } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';

describe('processes on one database', () => {
  let app: TestApp;
  let other: TestApp;

  beforeEach(async () => {
    app = await TestApp.create();
    other = await app.another();
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
