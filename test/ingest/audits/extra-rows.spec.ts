// .ci/run runs this on PostgreSQL too: its outcome depends on the database.
import type { Json, PutData } from '../../../sandbox/control-client.js';
import { HOUR } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';
import { DAY } from './support/audited-people.js';

const provider = 'oura';

interface Audit {
  readonly audit_id: number;
  readonly state: string;
  readonly repaired: number;
  readonly different: number;
  readonly repairing: number;
  readonly differences: Json;
}

/** What upstream has of a day; `DAY`, `NEXT`, `THIRD` and `LATER` stand for it, and 1, 2 and 27 days later. */
const summaryOf: Readonly<Record<string, Json>> = {
  'a night': { bedtime_start: 'DAYT22:30:00+00:00', bedtime_stop: 'NEXTT06:30:00+00:00', calendar_date: 'NEXT' },
  'a night within a day': { bedtime_start: 'DAYT00:30:00+00:00', bedtime_stop: 'DAYT06:30:00+00:00' },
  'a workout over midnight': { time_start: 'DAYT23:30:00+00:00', time_end: 'NEXTT00:30:00+00:00' },
  'a workout of three days': { time_start: 'DAYT06:00:00+00:00', time_end: 'THIRDT23:00:00+00:00' },
  'a meal': { timestamp: 'DAYT12:00:00+00:00', calendar_date: 'DAY', name: 'lunch' },
  'a body measurement': { calendar_date: 'DAY', weight: 80 },
  'a sleep cycle': { session_start: 'DAYT22:30:00+00:00', session_end: 'NEXTT06:30:00+00:00' },
  'a menstrual cycle': { period_start: 'DAY', period_end: 'LATER', is_predicted: false },
};
const planted: readonly (readonly [what: string, resource: string, daysAgo: number])[] = [
  ['a night', 'sleep', 6],
  ['a night', 'sleep', 4],
  ['a night within a day', 'sleep', 4],
  ['a workout over midnight', 'workouts', 4],
  ['a workout of three days', 'workouts', 6],
  ['a meal', 'meal', 4],
  ['a body measurement', 'body', 4],
  ['a sleep cycle', 'sleep_cycle', 4],
  ['a menstrual cycle', 'menstrual_cycle', 34],
];
const pointOf: Readonly<Record<string, Json>> = {
  steps: { start: 'DAYT23:50:00+00:00', end: 'NEXTT00:10:00+00:00', value: 900 },
  glucose: { timestamp: 'DAYT12:00:00+00:00', value: 5.5 },
  body_weight: { timestamp: 'DAYT07:00:00+00:00', value: 80 },
};
/** Planted samples: so much later than those that upstream has, and of so long. */
const samples: readonly (readonly [resource: string, laterMs: number, durationMs: number | null])[] = [
  ['steps', 1_000, 20 * 60_000],
  ['glucose', 1_000, null],
  ['glucose', 11 * HOUR, 2 * HOUR],
  ['body_weight', -1_000, null],
];
const sampleColumns = 'series_id, time, sibling, value, text_value, duration_ms, group_id';

const copied =
  'time, end_time, calendar_date, provider, source_type, floating_time, version, observation_id, kind, raw';

let app: TestApp;
let user_id: string;

async function world(resource: string): Promise<void> {
  const more = { SYNC_RESOURCES: resource, SYNC_BACKFILL_DAYS: '60', DELETION_CONFIRM_HOURS: '0' };
  app = await TestApp.create({ sandbox: { seed: 'extra rows' }, env: more });
  ({ user_id } = (await app.as<{ user_id: string }>('one', 'POST', '/me/sign-in-token', {})).body);
  await app.sandbox.control.connect({ user_id, provider, resources: [resource] });
  await app.settle();
}

const dateAt = (daysAgo: number): string => new Date(app.clock.now() - daysAgo * DAY).toISOString().slice(0, 10);

function on(row: Json | undefined, daysAgo: number): Json {
  const later = { DAY: 0, NEXT: 1, THIRD: 2, LATER: 27 };
  const text = Object.entries(later).reduce(
    (one, [name, days]) => one.replaceAll(name, dateAt(daysAgo - days)),
    JSON.stringify(row),
  );
  return JSON.parse(text) as Json;
}

const execute = (sql: string, values: (string | number)[]): Promise<number> =>
  app.store.lane.run((tx) => tx.execute(sql, values));

async function put(resource: string, rows: Pick<PutData, 'points' | 'summaries'>): Promise<void> {
  await app.sandbox.control.put({ user_id, provider, resource, ...rows, notify: true });
  await app.settle();
  await app.advance(3_600, 2);
}

/** The audit of a day, after some minutes. */
async function audited(resource: string, daysAgo: number, options: object = {}, minutes = 20): Promise<Audit> {
  const range = { first_day: dateAt(daysAgo), last_day: dateAt(daysAgo) };
  const { body } = await app.admin<Audit>('POST', '/audits', { account_id: 'one', resource, ...range, ...options });
  for (let minute = 0; minute < minutes; minute++) await app.advance(60);
  return (await app.admin<Audit>('GET', `/audits/${body.audit_id}`)).body;
}

const repaired = { state: 'done', repaired: 1, different: 0, differences: { missing: 0, extra: 1, different: 0 } };
const rangeOf = (daysAgo: number): number[] => [Date.parse(dateAt(daysAgo)), Date.parse(dateAt(daysAgo - 1))];

afterEach(() => app.close());

describe('a row too many, planted by hand', () => {
  it.each(planted)('is found and hidden: %s (%s, %i days ago)', async (what, resource, daysAgo) => {
    await world(resource);
    const days = [daysAgo + 1, daysAgo, daysAgo - 1];
    await put(resource, { summaries: days.map((ago) => on(summaryOf[what], ago)) });
    const copy = `INSERT INTO summaries (account_id, resource, summary_id, ${copied})
      SELECT account_id, resource, 'planted', ${copied} FROM summaries WHERE time >= ? AND time < ?`;
    expect(await execute(copy, rangeOf(daysAgo))).toBe(1);
    expect(await audited(resource, daysAgo)).toMatchObject(repaired);
    const ids = await app.store.reader.rows<{ id: string }>('SELECT summary_id AS id FROM summaries', []);
    expect(ids).toHaveLength(3);
    expect(ids.map(({ id }) => id)).not.toContain('planted');
  });

  it.each(samples)('is found and hidden: a sample (%s, %i ms later, of %s ms)', async (resource, later, duration) => {
    await world(resource);
    await put(resource, { points: [6, 5, 4].map((ago) => on(pointOf[resource], ago)) });
    const copy = `INSERT INTO samples (${sampleColumns})
      SELECT series_id, time + ${later}, sibling, value, text_value, ${duration ?? 'NULL'}, group_id FROM samples
      WHERE time >= ? AND time < ?`;
    expect(await execute(copy, rangeOf(5))).toBe(1);
    expect(await audited(resource, 5)).toMatchObject(repaired);
    expect(await app.store.reader.rows('SELECT time FROM samples', [])).toHaveLength(3);
  });

  it('is hidden after a second look only, if upstream has nothing at its time', async () => {
    await world('sleep');
    await put('sleep', { summaries: [7, 5].map((ago) => on(summaryOf['a night'], ago)) });
    const move = `INSERT INTO summaries (account_id, resource, summary_id, ${copied})
      SELECT account_id, resource, 'planted', time - ${DAY}, end_time - ${DAY}, calendar_date, provider, source_type,
        floating_time, version, observation_id, kind, raw FROM summaries WHERE time >= ? AND time < ?`;
    expect(await execute(move, rangeOf(5))).toBe(1);
    expect(await audited('sleep', 6)).toMatchObject(repaired);
    const [row] = await app.store.reader.rows<Json>('SELECT state, missed_by, confirmed_by FROM missing_records', []);
    expect(row?.['state']).toBe('gone');
    expect(row?.['confirmed_by']).not.toBe(row?.['missed_by']);
  });

  it('is left to an operator with too many others, which the audit, explain and an alarm say', async () => {
    await world('glucose');
    await put('glucose', { points: [6, 5, 4].map((ago) => on(pointOf['glucose'], ago)) });
    const copy = `INSERT INTO samples (${sampleColumns})
      SELECT series_id, time + ?, sibling, value, text_value, duration_ms, group_id FROM samples
      WHERE time = ?`;
    const noon = Date.parse(dateAt(5)) + 12 * HOUR;
    for (let second = 1; second <= 10; second++) await execute(copy, [second * 1_000, noon]);
    expect(await audited('glucose', 5)).toMatchObject({ state: 'done', held: 1, repairing: 0 });
    expect(await audited('glucose', 5, { repair_all: true }, 60)).toMatchObject({ state: 'done', different: 1 });
    const alarms = await app.admin<{ data: { code: string }[] }>('GET', '/alarms');
    expect(alarms.body.data.map(({ code }) => code)).toContain('deletions_held');
    const path = `/accounts/one/explain?resource=glucose&day=${dateAt(5)}`;
    const { evidence } = (await app.admin<{ evidence: { kind: string; finding: string }[] }>('GET', path)).body;
    const found = evidence.filter(({ kind }) => kind === 'proof').map(({ finding }) => finding);
    expect(found).toEqual([expect.stringMatching(/found the day different from upstream/)]);
    expect(await app.store.reader.rows('SELECT time FROM samples', [])).toHaveLength(13);
  });
});
