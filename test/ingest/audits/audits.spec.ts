import type { Json } from '../../../sandbox/control-client.js';
import { HOUR } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';

const DAY = 24 * HOUR;

interface Audit {
  readonly audit_id: number;
  readonly state: string;
  readonly days_total: number;
  readonly days_compared: number;
  readonly proven: number;
  readonly repaired: number;
  readonly repairing: number;
  readonly held: number;
  readonly different: number;
  readonly differences: Json;
  readonly causes: Record<string, number>;
  readonly objects: number;
  readonly calls: number;
  readonly share_done: number;
  readonly error: string | null;
}

type Sample = Audit & { readonly origin: string };

interface Proof {
  readonly resource: string;
  readonly day: string;
  readonly state: string;
  readonly cause: string | null;
  readonly fields: string[];
  readonly differences: Json;
  readonly proven_at: string | null;
  readonly looked_at: string;
  readonly hash: string;
}

const provider = 'apple_health_kit';
const resources = ['sleep', 'steps', 'glucose', 'insulin_injection', 'blood_pressure'];
const env = { SYNC_RESOURCES: resources.join(), SYNC_BACKFILL_DAYS: '12' };
let app: TestApp;
let user: string;

async function world(more: Record<string, string> = {}): Promise<void> {
  app = await TestApp.create({ sandbox: { seed: 'audits' }, env: { ...env, ...more } });
  const login = await app.as<{ user_id: string }>('person', 'POST', '/me/sign-in-token', {});
  user = login.body.user_id;
  await app.sandbox.control.connect({ user_id: user, provider, resources });
  for (const resource of resources) {
    await app.sandbox.control.generate({ user_id: user, provider, resource, days: 9, per_day: 6, notify: true });
  }
  await app.settle();
  await app.advance(3_600);
  await app.advance(3_600);
}

afterEach(() => app.close());

const dateAt = (daysAgo: number): string => new Date(app.clock.now() - daysAgo * DAY).toISOString().slice(0, 10);

async function request(options: object = {}): Promise<Audit> {
  const days = { first_day: dateAt(8), last_day: dateAt(1) };
  const answer = await app.admin<Audit>('POST', '/audits', { account_id: 'person', ...days, ...options });
  expect(answer.status).toBe(202);
  return answer.body;
}

const read = async (id: number): Promise<Audit> =>
  (await app.admin<Audit>('GET', `/audits/${id}`, undefined, 'viewer')).body;

async function audit(options: object = {}): Promise<Audit> {
  const { audit_id } = await request(options);
  for (let round = 0; round < 10; round++) {
    await app.advance(60);
    const now = await read(audit_id);
    if (now.state !== 'comparing' && now.repairing === 0) return now;
  }
  return read(audit_id);
}

async function proofs(query = ''): Promise<Proof[]> {
  return (await app.admin<{ data: Proof[] }>('GET', `/accounts/person/proofs?limit=500&${query}`, undefined, 'viewer'))
    .body.data;
}

const execute = (sql: string): Promise<number> => app.store.lane.run((tx) => tx.execute(sql, []));
const aSample = (
  resource: string,
): string => `(SELECT p.series_id, p.time FROM samples p JOIN series s ON s.id = p.series_id
   WHERE s.resource = '${resource}' AND p.time < ${app.clock.now() - 4 * DAY} AND p.time > ${app.clock.now() - 7 * DAY}
   ORDER BY p.series_id, p.time LIMIT 1)`;

const isoAt = (ms: number): string => new Date(ms).toISOString();

async function alarms(): Promise<string[]> {
  await app.advance(60);
  return (await app.admin<{ data: { code: string }[] }>('GET', '/alarms')).body.data.map(({ code }) => code);
}

describe('an audit', () => {
  it('proves every day that is equal', async () => {
    await world();
    const done = await audit();
    expect(done).toMatchObject({ state: 'done', different: 0, held: 0, repaired: 0, share_done: 1, error: null });
    expect(done.proven).toBe(done.days_total);
    expect(done.objects).toBeGreaterThan(100);
    const all = await proofs();
    expect(new Set(all.map(({ resource }) => resource))).toEqual(new Set(resources));
    expect(all.every(({ state, cause, proven_at }) => state === 'proven' && cause === null && proven_at !== null)).toBe(
      true,
    );
    expect(await alarms()).not.toContain('audit_faults');
  });

  it('finds, names and repairs what was lost here, and raises an alarm', async () => {
    await world();
    await audit();
    await execute(`DELETE FROM samples WHERE (series_id, time) IN ${aSample('glucose')}`);
    await execute(`UPDATE samples SET value = value + 1 WHERE (series_id, time) IN ${aSample('steps')}`);
    const night = `SELECT summary_id FROM summaries WHERE time < ${app.clock.now() - 4 * DAY} ORDER BY time DESC LIMIT 1`;
    await execute(
      `UPDATE summaries SET raw = REPLACE(raw, '"duration":', '"duration":1') WHERE summary_id IN (${night})`,
    );
    const done = await audit();
    expect(done).toMatchObject({ state: 'done', repaired: 3, different: 0, held: 0 });
    expect(done.differences).toEqual({ missing: 1, extra: 0, different: 2 });
    expect(done.causes).toMatchObject({ lost: 3, mapping: 0 });
    const found = (await proofs()).filter(({ cause }) => cause !== null);
    expect(found.map(({ resource, fields }) => [resource, ...fields].join(' '))).toEqual([
      'glucose',
      'sleep duration',
      'steps value',
    ]);
    expect(await alarms()).toContain('audit_faults');
    const overview = async () =>
      (await app.admin<{ audits: Json }>('GET', '/overview', undefined, 'monitor')).body.audits;
    await app.advance(600);
    expect(await overview()).toMatchObject({ faults: 3, different: 0, differed_7_days: 3, compared: done.days_total });
    expect(await overview()).toMatchObject({ proven_share_7_days: 1, proven_share_30_days: 1 });
    expect(await overview()).toMatchObject({ differences_7_days: [{ cause: 'lost', found: 3, open: 0 }] });
    expect(Number((await overview())['calls_7_days'])).toBeGreaterThanOrEqual(done.calls);
    await app.advance(25 * 3_600);
    expect(await alarms()).not.toContain('audit_faults');
    const again = await audit();
    expect(again).toMatchObject({ repaired: 0, different: 0, proven: again.days_total });
  });

  it('only reports, if that is asked for', async () => {
    await world();
    await audit();
    await execute(`DELETE FROM samples WHERE (series_id, time) IN ${aSample('glucose')}`);
    const done = await audit({ report_only: true, resource: 'glucose' });
    expect(done).toMatchObject({ state: 'done', different: 1, repaired: 0, causes: { lost: 1 } });
    const [found] = await proofs('state=different');
    expect(found).toMatchObject({
      resource: 'glucose',
      differences: { missing: 1, extra: 0, different: 0 },
      fields: [],
    });
    expect((await audit({ report_only: true, resource: 'glucose' })).different).toBe(1);
  });

  it('tells what upstream changed from what was lost, and repairs it without an alarm', async () => {
    await world();
    await audit();
    const at = new Date(app.clock.now() - 5 * DAY).toISOString();
    const points = [{ start: at, value: 5.5 }];
    await app.sandbox.control.put({
      user_id: user,
      provider: 'apple_health_kit',
      resource: 'glucose',
      points,
      notify: false,
    });
    const done = await audit();
    expect(done).toMatchObject({ repaired: 1, different: 0, causes: { lost: 0, mapping: 0 } });
    expect(await alarms()).not.toContain('audit_faults');
  });

  it('hides a record that upstream does not have, once its deletion is confirmed', async () => {
    await world();
    await execute(`INSERT INTO samples (series_id, time, sibling, value, text_value, duration_ms, group_id)
      SELECT p.series_id, p.time + 1, 0, p.value, p.text_value, p.duration_ms, p.group_id FROM samples p
      WHERE (p.series_id, p.time) IN ${aSample('glucose')}`);
    const { audit_id } = await request({ resource: 'glucose' });
    for (let hour = 0; hour < 9; hour++) await app.advance(HOUR / 1_000);
    expect(await read(audit_id)).toMatchObject({ state: 'done', repaired: 1, different: 0, differences: { extra: 1 } });
    const [row] = await app.store.reader.rows<{ state: string }>('SELECT state FROM missing_records');
    expect(row?.state).toBe('gone');
  });

  it.each(['UPDATE connections SET connected_at = ?', 'UPDATE accounts SET relinked_at = ?'])(
    'does not judge what belongs to an earlier connection or upstream user: %s',
    async (sql) => {
      await world();
      const [point] = await app.store.reader.rows<{ time: number }>(
        `SELECT time FROM samples WHERE (series_id, time) IN ${aSample('glucose')}`,
      );
      const range = { start: isoAt(point?.time ?? 0), end: isoAt((point?.time ?? 0) + 1_000) };
      await app.sandbox.control.remove({ user_id: user, resource: 'glucose', ...range });
      expect((await audit({ resource: 'glucose', report_only: true })).differences).toMatchObject({ extra: 1 });
      await app.store.lane.run((tx) => tx.execute(sql, [app.clock.now()]));
      const done = await audit({ resource: 'glucose', report_only: true });
      expect(done).toMatchObject({ different: 0, differences: { missing: 0, extra: 0, different: 0 } });
      expect(done.objects).toBeGreaterThan(10);
    },
  );

  it('leaves days to an operator of which too much differs', async () => {
    await world({ DELETION_HOLD_SHARE: '0.1' });
    await execute('DELETE FROM samples');
    const held = await audit({ resource: 'steps' });
    expect(held).toMatchObject({ state: 'done', repaired: 0 });
    expect(held.held).toBeGreaterThan(4);
    const repaired = await audit({ resource: 'steps', repair_all: true });
    expect(repaired).toMatchObject({ state: 'done', held: 0, different: 0 });
    expect(repaired.repaired).toBe(held.held);
  });

  it('is cancelled, and one is not begun twice', async () => {
    await world();
    const one = await request();
    expect((await request()).audit_id).toBe(one.audit_id);
    const cancelled = await app.admin<Audit>('POST', `/audits/${one.audit_id}/cancel`);
    expect(cancelled.status).toBe(200);
    await app.advance(60);
    expect(await read(one.audit_id)).toMatchObject({ state: 'cancelled' });
    const list = await app.admin<{ data: Audit[] }>('GET', '/audits?account_id=person', undefined, 'viewer');
    expect(list.body.data.map(({ audit_id }) => audit_id)).toEqual([one.audit_id]);
  });

  it('waits while upstream is away, and goes on where it stood', async () => {
    await world();
    const { audit_id } = await request();
    await app.sandbox.control.fault({ kind: 'status', path: '/v2/timeseries', status: 503 });
    await app.advance(60);
    const waiting = await read(audit_id);
    expect(waiting.state).toBe('comparing');
    await app.sandbox.control.clearFaults();
    for (let round = 0; round < 20; round++) await app.advance(300);
    const done = await read(audit_id);
    expect(done).toMatchObject({ state: 'done', different: 0, error: null });
    expect(done.proven).toBe(done.days_total);
  });

  it('goes on in another process where it stood', async () => {
    await world();
    const { audit_id } = await request();
    await app.sandbox.control.fault({ kind: 'status', path: '/v2/timeseries', status: 503, skip: 12 });
    await app.advance(60);
    const begun = await read(audit_id);
    expect(begun.days_compared).toBeGreaterThan(0);
    expect(begun.state).toBe('comparing');
    await app.sandbox.control.clearFaults();
    const other = await app.another();
    for (let round = 0; round < 20; round++) {
      await app.wait(300);
      await other.settle();
    }
    const done = await read(audit_id);
    expect(done).toMatchObject({
      state: 'done',
      different: 0,
      days_compared: done.days_total,
      proven: done.days_total,
    });
    expect(done.calls).toBeLessThanOrEqual((await audit()).calls);
  });

  it('is done by itself for everybody in turn, within the budget of calls, again after a cycle and a recovery', async () => {
    const perDay = 17_280;
    const pulled = ['sleep', 'glucose', 'blood_pressure'];
    const budget = { AUDIT_CALLS_PER_DAY: String(perDay), AUDIT_CYCLE_DAYS: '4' };
    await world({ ...budget, SYNC_RESOURCES: pulled.join() });
    await app.advance(25 * 3_600);
    const begun = app.clock.now();
    const samples = async () => (await app.admin<{ data: Sample[] }>('GET', '/audits')).body.data;
    const wholeAfter = async (count: number): Promise<Sample> => {
      for (let round = 0; round < 150; round++) {
        await app.advance(10);
        const all = await samples();
        const [newest] = all;
        const isWhole = newest?.state === 'done' && newest.days_compared === newest.days_total;
        if (isWhole && all.length > count && newest.days_total > 0) return newest;
      }
      throw new Error('The samples do not end.');
    };
    expect(await wholeAfter(1)).toMatchObject({ origin: 'sample', different: 0, resource: null });
    const all = await proofs();
    expect(new Set(all.map(({ resource }) => resource))).toEqual(new Set(pulled));
    expect(all.every(({ state }) => state === 'proven')).toBe(true);
    const calls = (await samples()).reduce((sum, one) => sum + one.calls, 0);
    expect(calls).toBeGreaterThan(20);
    expect(calls).toBeLessThanOrEqual(1 + ((app.clock.now() - begun) / DAY) * perDay);
    const count = (await samples()).length;
    // Everything in slices of 20 calls.
    expect(count).toBeGreaterThan(2);
    await app.advance(7_200, 2);
    expect(await samples()).toHaveLength(count);

    const window = { from: isoAt(app.clock.now() - 6 * DAY), to: isoAt(app.clock.now() - 5 * DAY) };
    expect((await app.admin('POST', '/sync/recover', window)).status).toBe(202);
    const recovered = await wholeAfter(count);
    expect(recovered.days_compared).toBe(2 * pulled.length);

    await app.advance(4 * 86_400, 4);
    const again = await wholeAfter(count + 1);
    expect(again.days_compared).toBeGreaterThan(recovered.days_compared);
  });

  it('is done before the samples for a day that somebody has explained, once a day', async () => {
    await world({ AUDIT_CALLS_PER_DAY: '1440', SYNC_RESOURCES: 'glucose' });
    await audit();
    const list = async () => (await app.admin<{ data: Sample[] }>('GET', '/audits')).body.data;
    const questions = async () => (await list()).filter(({ origin }) => origin === 'question');
    // The person's zone is not known, so the day may touch three UTC days.
    const day = dateAt(5);
    const ask = () => app.as('person', 'GET', `/me/explain?resource=glucose&day=${day}`);
    const lookedAt = async () => (await proofs(`resource=glucose&first_day=${day}&last_day=${day}`))[0]?.looked_at;
    const before = await lookedAt();
    expect(before).toMatch(/^2026-/);
    await app.wait(25 * 3_600);
    expect([(await ask()).status, (await ask()).status]).toEqual([200, 200]);
    expect(await questions()).toMatchObject([{ state: 'waiting', resource: 'glucose' }]);
    await app.advance(30);
    expect((await list())[0]).toMatchObject({ origin: 'question', state: 'comparing' });
    await app.advance(120, 4);
    expect(await questions()).toMatchObject([{ state: 'done', different: 0, days_compared: 3 }]);
    expect(await lookedAt()).not.toBe(before);
    const path = `/accounts/person/explain?resource=glucose&day=${day}`;
    expect((await app.admin('GET', path)).status).toBe(200);
    await app.advance(150, 5);
    expect((await questions()).map(({ days_compared }) => days_compared)).toEqual([0, 3]);
  });

  it('keeps few questions of an account, which can be cancelled', async () => {
    await world({ AUDIT_CALLS_PER_DAY: '17280', SYNC_RESOURCES: 'sleep' });
    for (let ago = 1; ago <= 15; ago++) await app.as('person', 'GET', `/me/explain?resource=sleep&day=${dateAt(ago)}`);
    const list = async () => (await app.admin<{ data: Sample[] }>('GET', '/audits?limit=100')).body.data;
    const questions = (await list()).filter(({ origin }) => origin === 'question');
    expect(questions.map(({ state }) => state)).toEqual(Array.from({ length: 10 }, () => 'waiting'));
    const [newest] = questions;
    await app.admin('POST', `/audits/${newest?.audit_id}/cancel`);
    await app.advance(600, 20);
    const states = (await list()).filter(({ origin }) => origin === 'question').map(({ state }) => state);
    expect(states.toSorted()).toEqual(['cancelled', ...Array.from({ length: 9 }, () => 'done')]);
  });

  it('is told by coverage, explain and the access log', async () => {
    await world();
    await audit();
    const day = dateAt(5);
    const query = `resource=glucose&first_day=${day}&last_day=${day}`;
    const equalAt = async (): Promise<unknown> => {
      const coverage = await app.admin<{ data: { runs: Json[] }[] }>('GET', `/accounts/person/coverage?${query}`);
      return coverage.body.data[0]?.runs[0]?.['proven_equal_at'];
    };
    const findings = async (): Promise<string[]> => {
      const path = `/accounts/person/explain?resource=glucose&day=${day}`;
      const { body } = await app.admin<{ evidence: { kind: string; finding: string }[] }>('GET', path);
      return body.evidence.filter(({ kind }) => kind === 'proof').map(({ finding }) => finding);
    };
    expect(await equalAt()).toMatch(/^2026-/);
    expect(await findings()).toEqual([expect.stringMatching(/^Proven equal with upstream on /)]);
    await execute(`DELETE FROM samples WHERE (series_id, time) IN ${aSample('glucose')}`);
    await execute('DELETE FROM samples WHERE time > 0');
    await audit({ resource: 'glucose', report_only: true });
    expect(await equalAt()).toBeNull();
    expect(await findings()).toEqual([
      expect.stringMatching(/^An audit on .* found the day different from upstream\.$/),
    ]);
    const log = await app.admin<{ data: { action: string; account_id: string }[] }>('GET', '/access-log?limit=100');
    const started = log.body.data.filter(({ action }) => action === 'POST /admin/v1/audits');
    expect(new Set(started.map(({ account_id }) => account_id))).toEqual(new Set(['person']));
  });

  it.each([
    ['a day after the last one', { first_day: '2026-11-05', last_day: '2026-11-04' }, 400],
    ['too many days', { first_day: '2024-11-05', last_day: '2026-11-04' }, 400],
    ['the future', { first_day: '2027-11-05', last_day: '2027-11-06' }, 400],
    ['an unknown resource', { resource: 'soul' }, 400],
    ['a profile, which has no days', { resource: 'profile' }, 400],
    ['an unknown account', { account_id: 'nobody' }, 404],
  ])('is refused for %s', async (_, options, status) => {
    await world();
    const body = { account_id: 'person', first_day: dateAt(8), last_day: dateAt(1), ...options };
    expect((await app.admin('POST', '/audits', body)).status).toBe(status);
  });
});
