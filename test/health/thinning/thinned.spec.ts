// .ci/run runs this on PostgreSQL too: its outcome depends on the database.
import { createHash } from 'node:crypto';
import { OldSamples } from '../../../src/health/thinning/old-samples.service.js';
import { PullRequests } from '../../../src/ingest/pulls/pull-requests.service.js';
import { SequencerWorker } from '../../../src/storage/change-log/sequencer.worker.js';
import { CleanerWorker } from '../../../src/storage/work/cleaner.worker.js';
import { environment, HOUR } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';

const DAY = 24 * HOUR;
const provider = 'apple_health_kit';
const mirror = 'mirror-key-of-the-test';
const env = {
  SYNC_RESOURCES: 'glucose,blood_pressure,steps',
  SYNC_BACKFILL_DAYS: '12',
  ADMIN_API_KEYS: `${environment().ADMIN_API_KEYS},mirror:feed+values:${createHash('sha256').update(mirror).digest('hex')}`,
};

interface Entry {
  readonly kind: string;
  readonly action: string;
  readonly origin: string;
  readonly resource: string | null;
  readonly samples: { readonly count: number; readonly start: string } | null;
  readonly data?: { readonly hours?: readonly object[]; readonly samples?: readonly object[] } | null;
}
interface Slot {
  readonly day: string;
  readonly count: number;
  readonly thinned: boolean;
}
interface Explained {
  readonly notes: readonly { readonly code: string; readonly text: string; readonly records: number | null }[];
}

let app: TestApp;
let user: string;
let start: number;

async function world(more: Record<string, string> = {}): Promise<void> {
  app = await TestApp.create({
    sandbox: { seed: 'thinned' },
    env: { ...env, SAMPLES_KEEP_DAYS: '30,blood_pressure=all', ...more },
  });
  start = app.clock.now();
  const login = await app.as<{ user_id: string }>('person', 'POST', '/me/sign-in-token', {});
  user = login.body.user_id;
  await app.sandbox.control.connect({ user_id: user, provider, resources: ['glucose', 'blood_pressure', 'steps'] });
  for (const resource of ['glucose', 'blood_pressure', 'steps']) {
    await app.sandbox.control.generate({ user_id: user, provider, resource, days: 9, per_day: 40, notify: true });
  }
  await app.settle();
  await app.advance(3_600);
  await app.advance(3_600);
}

afterEach(() => app.close());

const dateAt = (daysAgo: number): string => new Date(start - daysAgo * DAY).toISOString().slice(0, 10);
const isoAt = (ms: number): string => new Date(ms).toISOString();

/** Forty days later, the samples of the first days are older than 30 days. */
async function later(days = 40): Promise<void> {
  await app.wait(days * 86_400);
  await app.run(CleanerWorker);
}

const count = async (sql: string): Promise<number> => {
  const [row] = await app.store.reader.rows<{ count: number }>(`SELECT COUNT(*) AS count FROM ${sql}`);
  return row?.count ?? 0;
};
const samplesOf = (resource: string): Promise<number> =>
  count(`samples p JOIN series s ON s.id = p.series_id WHERE s.resource = '${resource}'`);
const hours = (): Promise<number> => count('sample_hours');

async function numbers(path: string, resource: string): Promise<Slot[]> {
  const found: Slot[] = [];
  for (let day = 9; day >= 0; day -= 5) {
    const query = `resources=${resource}&start=${dateAt(day)}&end=${dateAt(day - 5)}`;
    const { body } = await app.as<{ data: { days?: Slot[]; hours?: Slot[] }[] }>(
      'person',
      'GET',
      `/me/${path}?${query}`,
    );
    found.push(...(body.data[0]?.days ?? body.data[0]?.hours ?? []));
  }
  return found;
}
const figures = (slots: readonly Slot[]): object[] =>
  slots.map(({ thinned: _, ...slot }) => ({ ...slot, partial: 0, reason: 0 }));

async function explained(resource = 'glucose', day = dateAt(6)): Promise<Explained> {
  const { body } = await app.admin<Explained>('GET', `/accounts/person/explain?resource=${resource}&day=${day}`);
  return body;
}

async function feed(kinds: string): Promise<Entry[]> {
  const { body } = await app.call<{ data: Entry[] }>('GET', `/v1/changes?limit=500&kinds=${kinds}`, `Bearer ${mirror}`);
  return body.data;
}

async function pull(): Promise<void> {
  const [{ id = 0 } = {}] = await app.store.reader.rows<{ id: number }>('SELECT id FROM accounts');
  const window = { start: start - 12 * DAY, end: start };
  const request = { account: id, provider, resource: 'glucose', origin: 'operator', ...window } as const;
  await app.store.lane.run((tx) => app.get(PullRequests).request(tx, request));
  await app.settle();
}

describe('samples older than SAMPLES_KEEP_DAYS', () => {
  it('become hourly sums with the same numbers, which answers, explain, feed, snapshot and export name', async () => {
    await world();
    const [daily, hourly] = [await numbers('daily', 'glucose'), await numbers('hourly', 'glucose')];
    const newest = async (): Promise<object[]> => {
      const path = '/me/latest?resources=glucose';
      return (await app.as<{ data: { record: object }[] }>('person', 'GET', path)).body.data.map((one) => one.record);
    };
    const latest = await newest();
    const [before, pressures, steps] = [
      await samplesOf('glucose'),
      await samplesOf('blood_pressure'),
      await samplesOf('steps'),
    ];
    expect(daily.every(({ thinned }) => !thinned)).toBe(true);
    await later();
    const left = await samplesOf('glucose');
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(before / 2);
    expect([await samplesOf('blood_pressure'), await samplesOf('steps')]).toEqual([pressures, steps]);
    expect(await app.metric('samples_thinned_total', { resource: 'glucose' })).toBe(before - left);

    const after = await numbers('daily', 'glucose');
    expect(figures(after)).toEqual(figures(daily));
    expect(after.find(({ day }) => day === dateAt(6))).toMatchObject({ thinned: true });
    expect(figures(await numbers('hourly', 'glucose'))).toEqual(figures(hourly));
    expect(await newest()).toEqual(latest);
    const listed = `/me/records/glucose?first_day=${dateAt(6)}&last_day=${dateAt(6)}`;
    const thinned_until = expect.stringMatching(/T\d\d:00:00.000Z$/) as string;
    expect((await app.as('person', 'GET', listed)).body).toEqual({ data: [], next_cursor: null, thinned_until });
    const pageOf = async (query: string): Promise<object> =>
      (await app.as('person', 'GET', `/me/records/glucose?limit=1&${query}`)).body;
    expect(await pageOf('every=5m')).toHaveProperty('thinned_until', thinned_until);
    expect(await pageOf('every=1h')).not.toHaveProperty('thinned_until');
    expect(await pageOf(`start=${isoAt(app.clock.now())}`)).not.toHaveProperty('thinned_until');
    const { body: shown } = await app.admin('GET', '/accounts/person/records/glucose?limit=1');
    expect(shown).toHaveProperty('thinned_until', thinned_until);
    expect((await app.admin('GET', '/accounts/person/records/steps')).body).not.toHaveProperty('thinned_until');

    const told = (await explained()).notes.find(({ code }) => code === 'thinned');
    // Those of all source types of the provider.
    expect(told?.records).toBeGreaterThanOrEqual(daily.find(({ day }) => day === dateAt(6))?.count ?? Infinity);
    expect(told?.text).toContain('kept as hourly sums (SAMPLES_KEEP_DAYS)');

    await app.run(SequencerWorker);
    const entries = await feed('sample_hours');
    expect(entries.length).toBeGreaterThan(0);
    expect(entries[0]).toMatchObject({ action: 'created', origin: 'retention', resource: 'glucose' });
    expect(entries.reduce((sum, { samples }) => sum + (samples?.count ?? 0), 0)).toBe(before - left);
    expect(entries.flatMap(({ data }) => data?.hours ?? []).length).toBe(await hours());
    expect((await feed('samples')).filter(({ action }) => action === 'gone')).toEqual([]);
    const snapshot = await app.call<string>('POST', '/v1/snapshots', `Bearer ${mirror}`, { kinds: ['sample_hours'] });
    const states = snapshot.body
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Entry & { type: string });
    expect(states.flatMap(({ data }) => data?.hours ?? []).length).toBe(await hours());
    const file = await app.admin<string>('GET', '/accounts/person/export', undefined, 'reader');
    const lines = file.body.split('\n').filter((line) => line.includes('"type":"sample_hour"'));
    expect(lines).toHaveLength(await hours());
    expect(lines[0]).toContain('"resource":"glucose"');
  });

  it('are kept for ever by default, and without a round twice', async () => {
    await world({ SAMPLES_KEEP_DAYS: '' });
    const before = await samplesOf('glucose');
    await later(400);
    expect([await samplesOf('glucose'), await hours()]).toEqual([before, 0]);
  });

  it('are not stored again when they are pulled, corrected or late; the day says so', async () => {
    await world();
    await later();
    const [daily, left, sums] = [await numbers('daily', 'glucose'), await samplesOf('glucose'), await hours()];
    expect((await explained()).notes.find(({ code }) => code === 'thinned')?.text).not.toContain('since');
    await pull();
    expect([await samplesOf('glucose'), await hours()]).toEqual([left, sums]);
    const [hour] = await app.store.reader.rows<{ first_at: number }>(
      'SELECT first_at FROM sample_hours WHERE sent_again_at IS NOT NULL ORDER BY time LIMIT 1 OFFSET 30',
    );
    const at = hour?.first_at ?? 0;
    const points = [0, 1].map((more) => ({ start: isoAt(at + more), value: 31.5 }));
    await app.sandbox.control.put({ user_id: user, provider, resource: 'glucose', points, notify: true });
    await app.settle();
    expect([await samplesOf('glucose'), await hours()]).toEqual([left, sums]);
    expect(figures(await numbers('daily', 'glucose'))).toEqual(figures(daily));
    expect((await explained()).notes.find(({ code }) => code === 'thinned')?.text).toContain('since');
    expect(await count('missing_records')).toBe(0);
  });

  it('of an hour without sums are stored when they are late, and thinned in their turn', async () => {
    await world();
    await later();
    const at = Date.parse(`${dateAt(30)}T10:15:00Z`);
    const points = [{ start: isoAt(at), value: 5.5 }];
    const [left, sums] = [await samplesOf('glucose'), await hours()];
    await app.sandbox.control.put({ user_id: user, provider, resource: 'glucose', points, notify: true });
    await app.settle();
    expect([await samplesOf('glucose'), await hours()]).toEqual([left + 1, sums]);
    await later(2);
    expect([await samplesOf('glucose'), await hours()]).toEqual([left, sums + 1]);
  });

  it('are not compared by audits any more, and are neither proven nor missing', async () => {
    await world();
    const proven = (): Promise<number> =>
      count(`day_proofs WHERE resource = 'glucose' AND day = '${dateAt(6)}' AND state = 'proven'`);
    const audit = async () => {
      const days = { account_id: 'person', resource: 'glucose', first_day: dateAt(8), last_day: dateAt(0) };
      const { body } = await app.admin<{ audit_id: number }>('POST', '/audits', days);
      for (let round = 0; round < 10; round++) await app.advance(60);
      return (await app.admin<Record<string, unknown>>('GET', `/audits/${body.audit_id}`)).body;
    };
    const before = await audit();
    expect(await proven()).toBe(1);
    await later();
    expect(await proven()).toBe(0);
    const after = await audit();
    expect(after).toMatchObject({ state: 'done', different: 0, repaired: 0, held: 0 });
    expect(after['days_total']).toBeLessThan(before['days_total'] as number);
    expect(await proven()).toBe(0);
  });

  it('stay while looks miss one of their hour and nobody has decided, as under a hold', async () => {
    await world();
    const [held] = await app.store.reader.rows<{ account_id: number; id: number; time: number }>(
      `SELECT s.account_id, s.id, MIN(p.time) AS time FROM samples p JOIN series s ON s.id = p.series_id
       WHERE s.resource = 'glucose' GROUP BY s.account_id, s.id ORDER BY s.id LIMIT 1`,
    );
    const { account_id = 0, id = 0, time = 0 } = held ?? {};
    await app.store.lane.run((tx) =>
      tx.execute(
        `INSERT INTO missing_records (account_id, resource, time, series_id, summary_id, provider, end_time, state,
           seen_by, looks) VALUES (?, 'glucose', ?, ?, '', ?, ?, 'held', 0, 0)`,
        [account_id, time, id, provider, time],
      ),
    );
    await later();
    const stored = `samples WHERE series_id = ${id} AND time = ${time}`;
    expect(await count(stored)).toBe(1);
    await app.store.lane.run((tx) => tx.execute(`UPDATE missing_records SET state = 'kept', looks = 1`));
    await later(2);
    expect(await count(stored)).toBe(0);
  });

  it('leave nothing of an erased person, and everything of others', async () => {
    await world();
    const other = await app.as<{ user_id: string }>('other', 'POST', '/me/sign-in-token', {});
    const stream = { user_id: other.body.user_id, provider, resource: 'glucose' };
    await app.sandbox.control.connect({ user_id: stream.user_id, provider, resources: ['glucose'] });
    await app.sandbox.control.generate({ ...stream, days: 9, per_day: 40, notify: true });
    await app.settle();
    await app.advance(3_600);
    await app.advance(3_600);
    await later();
    const hoursOf = (account: string): Promise<number> =>
      count(`sample_hours WHERE series_id IN (SELECT s.id FROM series s JOIN accounts a ON a.id = s.account_id
        WHERE a.account_id = '${account}')`);
    const [own, theirs] = [await hoursOf('person'), await hoursOf('other')];
    expect(Math.min(own, theirs)).toBeGreaterThan(0);
    const { body: receipt } = await app.admin<{ erasure_id: string }>('DELETE', '/accounts/person');
    await app.settle();
    const { body } = await app.admin<{ deleted: Record<string, number> }>('GET', `/erasures/${receipt.erasure_id}`);
    expect(body.deleted).toMatchObject({ accounts: 1, sample_hours: own });
    expect([await hours(), await hoursOf('other')]).toEqual([theirs, theirs]);
    await app.wait(2 * 86_400);
    await app.run(CleanerWorker);
    expect(await count(`series s WHERE NOT EXISTS (SELECT 1 FROM accounts a WHERE a.id = s.account_id)`)).toBe(0);
    expect(await hours()).toBeGreaterThanOrEqual(theirs);
    expect(await hours()).toBe(await hoursOf('other'));
  });

  it('are whole after a failure between the sums and the end of the transaction', async () => {
    await world();
    const daily = await numbers('daily', 'glucose');
    const before = await samplesOf('glucose');
    let failures = 0;
    app.get(OldSamples).beside(() => {
      failures++;
      return failures > 3 ? Promise.resolve() : Promise.reject(new Error('the process ends here'));
    });
    await app.wait(40 * 86_400);
    await app.run(CleanerWorker).catch(() => undefined);
    if (failures <= 3) expect([await samplesOf('glucose'), await hours()]).toEqual([before, 0]);
    await app.wait(2 * 86_400);
    await app.run(CleanerWorker);
    expect(await samplesOf('glucose')).toBeLessThan(before / 2);
    expect(figures(await numbers('daily', 'glucose'))).toEqual(figures(daily));
  });
});
