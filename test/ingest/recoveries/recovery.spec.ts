import { RecoveryPlanner } from '../../../src/ingest/recoveries/recovery-planner.js';
import { codeOf } from '../../support/code-of.js';
import { START } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';
import { hour, iso, operator, outage, type Recovery, recoveriesOf, resources, viewer } from './support/recoveries.js';

let service: TestApp;

beforeEach(async () => {
  service = await TestApp.create({ webhooks: false });
});

afterEach(() => service.close());

const { recover, look, plan, pull, tasks, execute, accounts, upstreamUsers } = recoveriesOf(() => service);

describe('a recovery', () => {
  it('shows its cost and stores nothing in a dry run', async () => {
    await accounts(4);
    await execute(`INSERT INTO accounts (account_id, status, created_at, updated_at) VALUES ('half', 'pending', 0, 0)`);
    await execute(
      `INSERT INTO connections (account_id, provider, status, observed_at) VALUES (1, 'oura', 'connected', 0)`,
    );
    const answer = await service.send('POST /admin/v1/sync/recover', {
      ...operator,
      body: { ...outage, dry_run: true },
    });
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        window: { from: iso(-30), to: iso(-6) },
        resources: [...resources].sort(),
        accounts: 4,
        sources: 1,
        pulls: 12,
        estimated_calls: 12 + 4 * 2 + 1,
        estimated_seconds: 1,
      },
    ]);
    expect([await tasks(), await service.store.reader.rows('SELECT * FROM recoveries')]).toEqual([[], []]);
  });

  it('pulls the synced resources of the sources of each account, and others if named', async () => {
    await accounts(2);
    await execute(`DELETE FROM pull_streams WHERE account_id = 1 AND resource = 'sleep'`);
    await recover({ ...outage, resources: ['sleep', 'blood_pressure', 'heartrate'] });
    await plan();
    expect((await tasks()).map((task) => [task.account_id, task.resource])).toEqual([
      [1, 'blood_pressure'],
      [1, 'heartrate'],
      [2, 'blood_pressure'],
      [2, 'heartrate'],
      [2, 'sleep'],
    ]);
  });

  it('pulls every account that has, or had, a source over its window, and polls the sources of all', async () => {
    await accounts(3);
    await execute(`UPDATE pull_streams SET status = 'paused' WHERE account_id = 2`);
    await execute(
      `INSERT INTO accounts (account_id, upstream_user_id, status, created_at, updated_at) VALUES
       ('no source', 'u-1', 'active', 0, 0), ('being erased', 'u-2', 'erasing', 0, 0)`,
    );
    const { recovery_id } = await recover();
    await plan();
    const made = await tasks();
    expect(made.map((task) => [task.account_id, task.resource])).toEqual(
      [1, 2, 3].flatMap((account) => [...resources].sort().map((resource) => [account, resource])),
    );
    const window = { window_start: START - 30 * hour, window_end: START - 6 * hour };
    expect(made[0]).toMatchObject({ provider: '', origin: 'recovery', priority: 90, recovery_id, ...window });
    expect(await look(recovery_id)).toMatchObject({
      state: 'pulling',
      accounts: 4,
      accounts_planned: 4,
      planned: 9,
      pending: 9,
      share_done: 0,
    });
    const looks = await service.store.reader.rows<{ account_id: number }>('SELECT account_id FROM source_polls');
    expect(looks.map((row) => row.account_id).sort()).toEqual([1, 2, 3, 4]);
  });

  it('spreads the polls of sources, so that regular pulls do not wait for them', async () => {
    const slow = await service.another({ env: { UPSTREAM_REQUESTS_PER_SECOND: '20' } });
    await accounts(5);
    await recover();
    await plan(slow);
    const looks = await service.store.reader.rows<{ due_at: number }>(
      'SELECT due_at FROM source_polls ORDER BY due_at',
    );
    expect(looks.map((row) => row.due_at - START)).toEqual([0, 400, 800, 1_200, 1_600]);
  });

  it('ends as done with the outcomes of its pulls, including failed ones', async () => {
    await accounts(3, [...(await upstreamUsers(2)), '00000000-0000-4000-8000-00000000dead']);
    const { recovery_id } = await recover();
    await plan();
    await pull();
    expect((await look(recovery_id)).state).toBe('pulling');
    await plan();
    expect(await look(recovery_id)).toMatchObject({
      state: 'done',
      planned: 9,
      done: 6,
      failed: 3,
      pending: 0,
      calls: 6,
      share_done: 1,
      estimated_end: null,
      finished_at: iso(0),
    });
    expect(service.logs.join('')).toContain('"event":"sync.recovery_finished"');
  });

  it('without accounts is done immediately', async () => {
    const { recovery_id } = await recover();
    await plan();
    expect(await look(recovery_id)).toMatchObject({ state: 'done', planned: 0, share_done: 1 });
  });

  it('requested again is the open one, for any number of requests, and a new one after its end', async () => {
    await accounts(2, await upstreamUsers(2));
    const asked = await Promise.all(Array.from({ length: 8 }, () => recover()));
    const reordered = await recover({ ...outage, resources: [...resources].reverse() });
    expect(new Set([...asked, reordered].map((one) => one.recovery_id)).size).toBe(1);
    const other = await recover({ ...outage, to: iso(-5) });
    expect(other.recovery_id).not.toBe(asked[0]?.recovery_id);
    await plan();
    expect(await tasks()).toHaveLength(12);
    await pull();
    await plan();
    expect((await recover()).recovery_id).not.toBe(asked[0]?.recovery_id);
  });

  it('with an end in the future ends now, and is the same when requested again', async () => {
    const first = await recover({ ...outage, to: iso(48) });
    expect(first['window']).toEqual({ from: iso(-30), to: iso(0) });
    service.clock.advance(60_000);
    expect((await recover({ ...outage, to: iso(48) })).recovery_id).toBe(first.recovery_id);
  });

  it('takes over equal waiting pulls with their urgency, but not those of another recovery', async () => {
    await accounts(1, await upstreamUsers(1));
    const wish = { start: outage.from, end: outage.to, resources: ['sleep'] };
    const waiting = await service.send('POST /admin/v1/accounts/customer-0/sync', { ...operator, body: wish });
    expect(waiting.status).toBe(202);
    const first = await recover({ ...outage, resources: ['sleep', 'blood_pressure'] });
    await plan();
    const second = await recover(outage);
    await plan();
    expect(await tasks()).toHaveLength(3);
    expect((await tasks())[0]).toMatchObject({ origin: 'operator', priority: 10, recovery_id: first.recovery_id });
    expect(await look(first.recovery_id)).toMatchObject({ planned: 2, joined: 1, shared: 0 });
    expect(await look(second.recovery_id)).toMatchObject({ planned: 1, joined: 0, shared: 2 });
    await pull();
    await plan();
    expect(await look(first.recovery_id)).toMatchObject({ state: 'done', done: 2 });
    expect(await look(second.recovery_id)).toMatchObject({ state: 'done', done: 1 });
  });

  it('does not count as late work', async () => {
    await accounts(1);
    await recover();
    await plan();
    service.clock.advance(5 * hour);
    const progress = await service.send('GET /admin/v1/sync/progress', viewer);
    expect(progress.body['lag_seconds']).toBe(0);
  });
});

describe('the orders of an outage', () => {
  const mark = async (): Promise<object | null> =>
    service.store.reader.row(
      `SELECT high_water_mark, started_at, window_start, due_at FROM walks WHERE name = 'order_list'`,
    );
  const orderSync = (row: { high: number; pass: number | null; from: number | null }): Promise<number> =>
    execute(
      `UPDATE walks SET high_water_mark = ?, started_at = ${row.pass}, window_start = ${row.from}, pages = 2,
         due_at = ? WHERE name = 'order_list'`,
      [row.high, START + hour],
    );
  const from = START - 30 * hour;

  it('are read again from its beginning', async () => {
    await orderSync({ high: START, pass: null, from: null });
    await recover();
    expect(await mark()).toMatchObject({ high_water_mark: from, due_at: START });
  });

  it('are read from its beginning although a current pass begins later', async () => {
    await orderSync({ high: START, pass: START, from: START - hour });
    await recover();
    const again = { high_water_mark: from, started_at: null, window_start: null, due_at: START };
    expect(await mark()).toEqual(again);
  });

  it.each([
    ['the pass under way begins earlier', { high: START, pass: START, from: START - 48 * hour }],
    ['the next pass begins earlier', { high: START - 48 * hour, pass: null, from: null }],
    ['the first pass, over all orders, is under way', { high: 0, pass: START, from: null }],
  ])('remain scheduled when %s', async (_, row) => {
    await orderSync(row);
    await recover();
    expect(await mark()).toMatchObject({
      high_water_mark: row.high,
      started_at: row.pass,
      window_start: row.from,
      due_at: START,
    });
  });
});

describe('an operator', () => {
  it.each([
    ['an end before the beginning', { from: iso(-2), to: iso(-3) }, 'to'],
    ['an empty window', { from: iso(-2), to: iso(-2) }, 'to'],
    ['a window that has not begun', { from: iso(1), to: iso(2) }, 'from'],
    ['more than 366 days', { from: iso(-367 * 24 - 1), to: iso(-1) }, 'from'],
    ['a time without an offset', { from: '2026-11-19T00:00:00', to: iso(-1) }, 'from'],
    ['no end', { from: iso(-2) }, 'to'],
    ['an unknown resource', { from: iso(-2), to: iso(-1), resources: ['moods'] }, 'resources'],
    ['a wish to try that is no yes or no', { from: iso(-2), to: iso(-1), dry_run: 'yes' }, 'dry_run'],
    ['an unknown field', { from: iso(-2), to: iso(-1), until: iso(0) }, 'until'],
  ])('is refused %s', async (_, body, field) => {
    const answer = await service.send('POST /admin/v1/sync/recover', { ...operator, body });
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
    expect(answer.body.errors.map((error) => error.field)).toContain(field);
    expect(await service.store.reader.rows('SELECT * FROM recoveries')).toEqual([]);
  });

  it('needs the role for it, pages through recoveries, and gets 404 for an unknown one', async () => {
    expect((await service.send('POST /admin/v1/sync/recover', { ...viewer, body: outage })).status).toBe(403);
    expect((await service.send('GET /admin/v1/sync/recoveries')).status).toBe(401);
    expect((await service.send('GET /admin/v1/sync/recoveries/9', viewer)).body.code).toBe('not_found');
    expect((await service.send('GET /admin/v1/sync/recoveries/x', viewer)).status).toBe(400);
    const ids = [await recover(), await recover({ ...outage, to: iso(-5) })].map((one) => one.recovery_id);
    const first = await service.send('GET /admin/v1/sync/recoveries?limit=1', viewer);
    const rest = await service.send(`GET /admin/v1/sync/recoveries?cursor=${first.body.next_cursor}`, viewer);
    const listed = [...first.body.data, ...rest.body.data] as unknown as Recovery[];
    expect(listed.map((one) => one.recovery_id)).toEqual([...ids].reverse());
  });
});

describe('a recovery that is interrupted', () => {
  it('in the middle of planning continues at the account where it stopped, and plans nothing twice', async () => {
    await accounts(700);
    const { recovery_id } = await recover();
    await service.get(RecoveryPlanner).planNext(service.clock.now());
    const before = await look(recovery_id);
    expect(before).toMatchObject({ state: 'planning', accounts: 700, accounts_planned: 334, planned: 1_002 });
    const restarted = await service.another();
    await Promise.all([plan(restarted), plan()]);
    expect(await look(recovery_id)).toMatchObject({
      state: 'pulling',
      accounts_planned: 700,
      planned: 2_100,
      joined: 0,
    });
    const each = new Set((await tasks()).map((task) => `${task.account_id} ${task.resource}`));
    expect(each.size).toBe(2_100);
  });

  it('in the middle of a batch leaves nothing of it', async () => {
    await accounts(3);
    const { recovery_id } = await recover();
    await execute('ALTER TABLE source_polls RENAME TO hidden');
    expect(await codeOf(service.get(RecoveryPlanner).planNext(service.clock.now()))).not.toBe('done');
    await execute('ALTER TABLE hidden RENAME TO source_polls');
    expect([await tasks(), (await look(recovery_id))['planned']]).toEqual([[], 0]);
    await plan();
    expect(await look(recovery_id)).toMatchObject({ planned: 9, state: 'pulling' });
  });

  it('in the middle of pulling continues with the remaining pulls', async () => {
    await accounts(4, await upstreamUsers(4));
    const { recovery_id } = await recover();
    await plan();
    await execute(
      `UPDATE sync_tasks SET status = 'running', lease_owner = 'gone', lease_until = ?, due_at = ? WHERE id <= 5`,
      [START + 120_000, START + 120_000],
    );
    const restarted = await service.another();
    await pull(restarted);
    await plan(restarted);
    service.clock.advance(120_000);
    await pull(restarted);
    await plan(restarted);
    expect(await look(recovery_id)).toMatchObject({ state: 'done', done: 12, failed: 0, calls: 12 });
    const { counts } = await service.sandbox.control.calls();
    const pulls = Object.entries(counts).filter(([route]) => /timeseries|summary/.test(route));
    expect(pulls.reduce((sum, [, count]) => sum + count, 0)).toBe(12);
  });
});

describe('the calls of a recovery', () => {
  it('follow all other pulls, and calls for a person precede them', async () => {
    const one = await service.another({ env: { UPSTREAM_MAX_CONCURRENCY: '1' } });
    const [regular = '', ...outer] = await upstreamUsers(6);
    await accounts(6, [...outer, regular]);
    await recover({ ...outage, resources: ['mindfulness_minutes'] }, one);
    await plan(one);
    await service.sandbox.control.fault({ kind: 'slow', path: '/v2/timeseries', delay_ms: 20 });
    await execute(
      `INSERT INTO sync_tasks (account_id, provider, resource, origin, priority, window_start, window_end, status,
         pages, records, written, rejected, turns, attempts, restarts, due_at, created_at)
       VALUES (6, '', 'blood_pressure', 'schedule', 40, ?, ?, 'pending', 0, 0, 0, 0, 0, 0, 0, ?, ?)`,
      [START - hour, START, START, START],
    );
    const pulling = pull(one);
    const paths = async (): Promise<string[]> => {
      const { calls } = await service.sandbox.control.calls();
      return calls.map(({ method, url_path }) => `${method} ${url_path.split('?')[0]}`);
    };
    while ((await service.sandbox.control.faults()).faults.every(({ struck }) => struck < 2)) await Promise.resolve();
    const person = one.send('POST /admin/v1/accounts', { ...operator, body: { account_id: 'somebody' } });
    expect((await person).status).toBe(201);
    await pulling;
    const made = (await paths()).filter((path) => /POST \/v2\/user|timeseries/.test(path));
    expect(made[0]).toContain(`${regular}/blood_pressure`);
    expect(made).toHaveLength(8);
    const first = made.findIndex((path) => path.startsWith('POST'));
    expect(first).toBeGreaterThan(0);
    expect(first).toBeLessThan(6);
  });
});
