import { RecoveryPlanner } from '../../../src/ingest/recoveries/recovery-planner.js';
import { codeOf } from '../../support/code-of.js';
import { START } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';
import { hour, operator, outage, recoveriesOf } from './support/recoveries.js';

let service: TestApp;

beforeEach(async () => {
  service = await TestApp.create({ webhooks: false });
});

afterEach(() => service.close());

const { recover, look, plan, pull, tasks, execute, accounts, upstreamUsers } = recoveriesOf(() => service);

describe('a recovery that is cut off', () => {
  it('in the middle of planning goes on at the account where it stopped, and plans nothing twice', async () => {
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

  it('in the middle of pulling goes on with the pulls that were left', async () => {
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
  it('come after all other pulls, and a person’s calls come before them', async () => {
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
