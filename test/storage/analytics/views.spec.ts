// .ci/run runs this on PostgreSQL too: its outcome depends on the database.
import { views } from '../../../src/app/rooms.js';
import { measuredIn } from '../../../src/storage/declarations/views.js';
import { first, GoneWorld } from '../../health/gone/support/gone-world.js';
import { OrdersWorld } from '../../labs/orders/support/orders-world.js';
import { Filling } from '../../privacy/erasure/support/filling.js';
import { DAY, HOUR, START } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';
import { Analyst } from './support/analyst.js';

let app: TestApp;
let analyst: Analyst;

function begin(started: TestApp): void {
  app = started;
  analyst = new Analyst(app.database);
}

afterEach(async () => {
  await analyst.close();
  await app.close();
});

const refOf = async (account: string): Promise<number> =>
  Number((await app.store.reader.row<{ id: number }>('SELECT id FROM accounts WHERE account_id = ?', [account]))?.id);
const execute = (sql: string, values: (string | number | null)[] = []): Promise<number> =>
  app.store.lane.run((tx) => tx.execute(sql, values));

describe('what analysts see', () => {
  it('has the columns of the data dictionary', async () => {
    begin(await TestApp.create());
    for (const { name, columns } of views) {
      expect([name, await analyst.columns(name)]).toEqual([name, columns.map((column) => column.name)]);
    }
  });

  it('is every sample that the API returns, with its time, value, unit and source', async () => {
    begin(await TestApp.create({ env: { SYNC_RESOURCES: 'heartrate,blood_pressure,note' } }));
    const { body: login } = await app.as<{ user_id: string }>('person', 'POST', '/me/sign-in-token', {});
    await app.sandbox.control.connect({ user_id: login.user_id, provider: 'oura' });
    const times = [1, 2, 3].map((hours) => new Date(START - hours * HOUR).toISOString());
    const pointsOf: Record<string, Record<string, unknown>[]> = {
      heartrate: times.map((timestamp, at) => ({ timestamp, value: 60 + at })),
      blood_pressure: times.map((timestamp, at) => ({ timestamp, systolic: 120 + at, diastolic: 80 + at })),
      note: times.map((start) => ({ start, end: start, value: 'a note' })),
    };
    for (const [resource, points] of Object.entries(pointsOf)) {
      await app.sandbox.control.put({ user_id: login.user_id, provider: 'oura', resource, points, notify: true });
    }
    await app.settle();
    const account_ref = await refOf('person');
    const rows = await analyst.rows('samples');
    for (const resource of ['heartrate', 'blood_pressure', 'note']) {
      const { body } = await app.as<{ data: Record<string, unknown>[] }>(
        'person',
        'GET',
        `/me/records/${resource}?limit=500`,
      );
      const own = rows.filter((row) => row['resource'] === resource);
      expect(own.length).toBeGreaterThan(0);
      expect(own.map(({ time }) => time).toSorted()).toEqual(
        body.data.map(({ time }) => new Date(String(time)).toISOString()).toSorted(),
      );
      const values = body.data.map(({ value, systolic, text }) => value ?? systolic ?? text);
      expect(own.map(({ value, text }) => value ?? text).toSorted()).toEqual(values.toSorted());
    }
    expect(rows.find(({ resource }) => resource === 'blood_pressure')).toMatchObject({
      ...{ account_ref, provider: 'oura', value: expect.any(Number), value2: expect.any(Number), text: null },
      ...{ unit: 'mmHg', time_is_floating: false, earlier_user: false },
    });
    expect(rows.every(({ time, time_ms }) => Date.parse(time as string) === time_ms)).toBe(true);
  });

  it('has typed columns for the fields of summaries, and null where another type was sent', async () => {
    begin(await TestApp.create());
    await app.connect('person', 'oura', { days: 1, per_day: 1 });
    await app.advance(3_600);
    const [{ record_id, total, data } = { record_id: null, total: null, data: null }] = await analyst.rows('sleep');
    expect(data).toMatchObject({ id: record_id, total });
    expect(data).not.toHaveProperty('user_id');
    const raw = {
      ...{ id: 'x', user_id: 'u', total: '7 h', score: 81.5, state: `half \ud800 and ${'\0'}`, hr_lowest: null },
      ...{ type: String.raw`\ud800 is text here`, efficiency: 5e-324, average_hrv: 1.797e308 },
    };
    await execute('UPDATE summaries SET raw = ? WHERE resource = ?', [JSON.stringify(raw), 'sleep']);
    const [row] = await analyst.rows('sleep');
    expect(row).toMatchObject({
      total: null,
      score: 81.5,
      hr_lowest: null,
      efficiency: 5e-324,
      average_hrv: 1.797e308,
    });
    expect(row).toMatchObject({
      type: String.raw`\ud800 is text here`,
      state: expect.stringMatching(/^half .{1,3} and .$/s),
    });
  });

  it('lacks what is gone, and has it again once it is back', async () => {
    const world = await GoneWorld.create();
    begin(world.app);
    await world.put([0, 1, 2]);
    await world.look();
    await world.remove([1]);
    const hours = async (): Promise<number[]> => {
      const rows = await analyst.rows('samples');
      return rows.map(({ time_ms }) => (Number(time_ms) - first) / HOUR).sort();
    };
    await world.look();
    expect(await hours()).toEqual([0, 1, 2]);
    await world.wait(DAY / 1_000);
    await world.app.settle();
    await world.look();
    expect(await hours()).toEqual([0, 2]);
    expect(await hours()).toEqual(await world.hours());
  });

  it('lacks a night of an earlier upstream user that the present one has sent again', async () => {
    begin(await TestApp.create());
    await app.connect('person', 'oura', { days: 1, per_day: 1 });
    await app.advance(3_600);
    const account = await refOf('person');
    const [night] = await app.store.reader.rows<{ time: number; end_time: number; observation_id: number }>(
      `SELECT time, end_time, observation_id FROM summaries WHERE resource = 'sleep' ORDER BY time LIMIT 1`,
    );
    const { time = 0, end_time: end = 0, observation_id: observation = 0 } = night ?? {};
    const relinked = Math.floor(observation / 64) + 10;
    await execute('UPDATE accounts SET relinked_at = ?', [relinked]);
    const before = await analyst.rows('sleep');
    expect(before.every((row) => row['earlier_user'] === true)).toBe(true);
    const insert = `INSERT INTO summaries (account_id, resource, summary_id, time, end_time, calendar_date, provider,
      source_type, floating_time, version, observation_id, raw)
      SELECT account_id, resource, 'again', ?, ?, calendar_date, provider, source_type, floating_time, version, ?, raw
      FROM summaries WHERE account_id = ? AND resource = 'sleep' AND time = ?`;
    await execute(`INSERT INTO observations (id, kind, ref) VALUES (?, 'sync', 1)`, [(relinked + 5) * 64]);
    await execute(insert, [time + 60_000, end, (relinked + 5) * 64, account, time]);
    const after = await analyst.rows('sleep');
    expect(after).toHaveLength(before.length);
    expect(after.filter((row) => row['record_id'] === 'again')).toMatchObject([{ earlier_user: false }]);
    const { body } = await app.as<{ data: { time: string }[] }>('person', 'GET', '/me/records/sleep?limit=500');
    expect(after.map((row) => row['time']).toSorted()).toEqual(
      body.data.map((row) => new Date(row.time).toISOString()).toSorted(),
    );
  });

  it('shows the newest version of a result alone, and none that upstream has withdrawn', async () => {
    const world = await OrdersWorld.open();
    begin(world.service);
    const order = await world.place(await world.user());
    const { body: one } = await world.result(order);
    const markers = async () => (await analyst.rows('results')).filter(({ scope }) => scope === 'order');
    expect((await markers()).map(({ name, result, version }) => [name, result, version])).toEqual(
      one.results.map(({ name, result }) => [name, result, 1]),
    );
    await world.advance(60);
    await world.control.setResult(order.id, { metadata: { interpretation: 'abnormal' } });
    await world.result(order);
    expect(new Set((await markers()).map(({ version }) => version))).toEqual(new Set([2]));
    expect(await analyst.rows('orders')).toMatchObject([
      { order_id: order.id, order_transaction_id: order.transaction, result_status: 'final' },
    ]);
    await world.control.fault({ kind: 'status', status: 404, path: '/v3/' });
    await world.result(order);
    expect(await markers()).toEqual([]);
    expect(await analyst.rows('orders')).toMatchObject([
      { result_status: 'withdrawn', first_final_at: new Date(START).toISOString() },
    ]);
  });

  it('reads a result as a number by the same rule as the program', async () => {
    const world = await OrdersWorld.open();
    begin(world.service);
    await world.result(await world.place(await world.user()));
    const said = [
      '5.2',
      '<5',
      ' >= 0.10 ',
      '-3',
      '+4',
      '5.2 H',
      '1,200',
      '',
      '>',
      '1e5',
      '12345678901234567',
      '.5',
      '5.',
      'NEG',
    ];
    const results = [
      ...said.map((result) => ({ name: 'a', result, type: 'numeric' })),
      { name: 'a', result: '7', type: 'coded_value' },
      { name: 'a', result: 7.5 },
      'no object',
    ];
    await execute('UPDATE lab_results SET content = ?', [JSON.stringify({ metadata: { laboratory: 'A' }, results })]);
    const rows = (await analyst.rows('results')).sort((a, b) => Number(a['place']) - Number(b['place']));
    expect(rows.map(({ result, value, comparator }) => [result, value, comparator])).toEqual([
      ...said.map((text) => [text, measuredIn(text)?.value ?? null, measuredIn(text)?.comparator ?? null]),
      ['7', null, null],
      ['7.5', 7.5, null],
    ]);
    expect(rows[1]).toMatchObject({ value: 5, comparator: '<', laboratory: 'A' });
    await execute(`UPDATE lab_results SET content = '{"results":{"old":"shape"}}'`);
    expect(await analyst.rows('results')).toEqual([]);
  });

  it('has nothing of an account that is being erased, and nothing of an erased one', async () => {
    begin(await TestApp.create());
    for (const account of ['person', 'other']) {
      await app.connect(account, 'oura', { days: 1, per_day: 1 });
      await app.advance(3_600);
      await new Filling(app.pulsekeep.store, await refOf(account), { text: 'words', number: 4.5 }).fill(1, {});
    }
    await execute(`UPDATE lab_results SET content = '{"results":[{}]}', form = 'json', withdrawn_at = NULL`);
    const [ref, other] = [await refOf('person'), await refOf('other')];
    const seen = async (): Promise<Record<string, boolean>> => {
      const found: Record<string, boolean> = {};
      for (const { name } of views) {
        found[name] = (await analyst.rows(name)).some((row) => row['account_ref'] === ref);
      }
      return found;
    };
    const before = await seen();
    expect(Object.keys(before).filter((name) => before[name])).toEqual(
      expect.arrayContaining([
        'samples',
        'sleep',
        'coverage',
        'connections',
        'results',
        'orders',
        'order_transactions',
        'accounts',
      ]),
    );
    await execute(`UPDATE accounts SET status = 'erasing' WHERE id = ?`, [ref]);
    expect(Object.values(await seen()).some(Boolean)).toBe(false);
    await execute(`UPDATE accounts SET status = 'active' WHERE id = ?`, [ref]);
    await app.admin('DELETE', '/accounts/person');
    await app.settle();
    expect(Object.values(await seen()).some(Boolean)).toBe(false);
    expect((await analyst.rows('samples')).some((row) => row['account_ref'] === other)).toBe(true);
  });
});
