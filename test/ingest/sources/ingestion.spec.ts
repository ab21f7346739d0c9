import { IngestionStateWorker } from '../../../src/ingest/sources/ingestion-state.worker.js';
import { HOUR, SECOND } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';

const hour = HOUR / SECOND;
const provider = 'oura';
const resource = 'mindfulness_minutes';

describe('a linked account', () => {
  let app: TestApp;
  let user_id: string;

  const pulls = async (): Promise<number> => {
    const { counts } = await app.sandbox.control.calls();
    return Object.entries(counts)
      .filter(([call]) => /\/v2\/(timeseries|summary)\//.test(call))
      .reduce((sum, [, count]) => sum + count, 0);
  };
  const pullsIn = async (hours: number): Promise<number> => {
    const before = await pulls();
    await app.advance(hours * hour, hours);
    return (await pulls()) - before;
  };
  const stored = async (): Promise<number[]> => {
    const rows = await app.store.reader.rows<{ value: number }>(
      `SELECT p.value FROM samples p JOIN series s ON s.id = p.series_id WHERE s.resource = ? ORDER BY p.time`,
      [resource],
    );
    return rows.map(({ value }) => value);
  };
  /** A value that ends so many hours ago; by webhook, or without a word. */
  const put = async (hoursAgo: number, value: number, notify: boolean): Promise<void> => {
    const at = (ms: number): string => new Date(app.clock.now() - hoursAgo * HOUR + ms).toISOString();
    const points = [{ start: at(-60_000), end: at(0), value }];
    await app.sandbox.control.put({ user_id, provider, resource, points, notify });
    await app.settle();
  };

  async function connected(env: Record<string, string> = {}): Promise<void> {
    app = await TestApp.create({ env });
    user_id = await app.connect('anna', provider, { days: 10, per_day: 2 });
    await app.advance(20 * 60, 4);
    await app.advance(2 * hour, 2);
  }

  afterEach(() => app.close());

  it('is pulled once a day while webhooks deliver all data [introspection#ingestion-state]', async () => {
    await connected();
    const before = await pulls();
    for (let each = 0; each < 24; each++) {
      if (each % 6 === 0) await put(0.5, 100 + each, true);
      await app.advance(hour, 3);
    }
    expect((await pulls()) - before).toBeLessThanOrEqual(6);
    expect(await app.callsTo('GET /v2/introspect/resources')).toBeGreaterThanOrEqual(24);
    expect((await stored()).slice(-4)).toEqual([100, 106, 112, 118]);
    expect(await app.metric('sync_lag_seconds')).toBe(0);
    expect(await app.metric('ingestion_streams_total', { finding: 'nothing_missing' })).toBeGreaterThan(60);
  });

  it('is pulled within the hour for a record whose webhook was lost', async () => {
    await connected();
    await put(0.5, 77, false);
    expect(await stored()).not.toContain(77);
    await app.advance(1.5 * hour, 3);
    expect(await stored()).toContain(77);
  });

  it('gets within the longest interval what introspection does not show: an older or changed record', async () => {
    await connected();
    await put(0.5, 5, true);
    await put(9, 66, false);
    await app.sandbox.control.edit({ user_id, provider, resource, count: 1, notify: false });
    await app.advance(3 * hour, 3);
    expect(await stored()).not.toContain(66);
    await app.advance(21 * hour, 21);
    expect(await stored()).toContain(66);
    const { rows } = await app.sandbox.control.truth(user_id, resource);
    expect(await stored()).toEqual(rows.map(({ value }) => value));
  });

  it('is not postponed by a pull that was made while the clock was days ahead', async () => {
    await connected();
    app.clock.step(48 * HOUR);
    await app.advance(2 * hour, 2);
    app.clock.step(-48 * HOUR);
    await put(9, 66, false);
    await app.advance(24 * hour, 24);
    expect(await stored()).toContain(66);
  });

  it('is pulled every interval while upstream does not report its ingestion', async () => {
    await connected();
    await app.sandbox.control.fault({ kind: 'status', path: '/v2/introspect/resources', status: 403 });
    await pullsIn(24);
    expect(await pullsIn(4)).toBeGreaterThanOrEqual(6);
  });

  it('is pulled every interval without introspection if the longest interval is equal', async () => {
    await connected({ SYNC_MAX_INTERVAL_SECONDS: '3600' });
    expect(await pullsIn(4)).toBeGreaterThanOrEqual(6);
    expect(await app.callsTo('GET /v2/introspect/resources')).toBe(0);
  });

  it('has its sources polled when upstream reports an unknown one', async () => {
    await connected();
    await app.advance(6 * hour, 6);
    await app.sandbox.control.connect({ user_id, provider: 'fitbit', resources: [resource], notify: false });
    await app.advance(2 * hour, 2);
    const { body } = await app.admin<{ connections: { provider: string }[] }>('GET', '/accounts/anna');
    expect(body.connections.map((each) => each.provider)).toEqual(['fitbit', provider]);
  });

  it('is not pulled more often if cursors lead nowhere', async () => {
    await connected();
    await app.sandbox.control.fault({ kind: 'endless_cursor', path: '/v2/introspect/resources' });
    const before = await app.callsTo('GET /v2/introspect/resources');
    await app.advance(hour);
    await app.run(IngestionStateWorker);
    expect((await app.callsTo('GET /v2/introspect/resources')) - before).toBeLessThan(300);
  });
});

describe('the history of a new source', () => {
  it('is pulled once, when upstream has it', async () => {
    const app = await TestApp.create();
    await app.connect('anna', provider, { days: 60, per_day: 2 });
    await app.advance(2 * hour, 12);
    const tasks = await app.store.reader.rows<{ resource: string; origin: string }>(
      `SELECT resource, origin FROM sync_tasks WHERE origin IN ('connection', 'historical') ORDER BY resource`,
    );
    expect(tasks).toEqual([
      { resource: 'blood_pressure', origin: 'historical' },
      { resource: 'mindfulness_minutes', origin: 'historical' },
      { resource: 'sleep', origin: 'historical' },
    ]);
    await app.close();
  });

  it('is pulled an hour after the connection if upstream does not report it', async () => {
    const app = await TestApp.create();
    await app.sandbox.control.configure({ pull_start_seconds: 100_000 });
    await app.connect('anna', provider, { days: 60, per_day: 2 });
    const asked = async (): Promise<string[]> => {
      const rows = await app.store.reader.rows<{ origin: string }>('SELECT origin FROM sync_tasks ORDER BY id');
      return rows.map(({ origin }) => origin);
    };
    await app.advance(0.9 * hour, 3);
    expect(await asked()).toEqual([]);
    await app.advance(0.2 * hour);
    expect(await asked()).toEqual(['connection', 'connection', 'connection']);
    await app.close();
  });

  it('is pulled as soon as the pull of upstream failed or found nothing', async () => {
    const app = await TestApp.create();
    const login = await app.as<{ user_id: string }>('anna', 'POST', '/me/sign-in-token', {});
    const { user_id } = login.body;
    await app.sandbox.control.connect({ user_id, provider, pulls: { sleep: { outcome: 'failure' } } });
    await app.advance(20 * 60, 20);
    const rows = await app.store.reader.rows<{ resource: string }>(
      `SELECT resource FROM sync_tasks WHERE origin = 'connection' ORDER BY resource`,
    );
    expect(rows.map((row) => row.resource)).toEqual(['blood_pressure', 'mindfulness_minutes', 'sleep']);
    await app.close();
  });
});
