import { until } from '../../support/until.js';
import { type Account, type SyncService, SyncWorld, start } from './support/sync-world.js';

let world: SyncWorld;
let service: SyncService;
let greedy: Account;
let modest: Account;

beforeEach(async () => {
  world = await SyncWorld.create();
  service = await world.another({ UPSTREAM_MAX_CONCURRENCY: '2' });
  greedy = await world.account(service, 'greedy');
  modest = await world.account(service, 'modest');
});
afterEach(() => world.close());

/** So many tasks of an account, each over a window of its own, of one page. */
async function tasksOf(account: Account, count: number, origin: 'operator' | 'schedule'): Promise<void> {
  for (let n = 0; n < count; n++) {
    const window = { start: start - (n + 2) * 1_000_000, end: start - (n + 1) * 1_000_000 };
    await world.request(service, account.ref, { ...window, origin });
  }
}

/** Below 30, the calls of `greedy` if all came first; a slow call of `modest` may let a few of them pass. */
const BEFORE_THE_END = 28;

/** Whose pages were asked for, in order. */
async function served(): Promise<string[]> {
  const { calls } = await world.sandbox.control.calls({ path: '/v2/timeseries' });
  return calls.map(({ url_path }) => (url_path.includes(greedy.userId) ? 'greedy' : 'modest'));
}

describe('the tasks of accounts', () => {
  it('take turns: many that were due first delay no other account', async () => {
    await tasksOf(greedy, 30, 'schedule');
    world.clock.advance(1_000);
    await tasksOf(modest, 4, 'schedule');
    await service.backfill.runUntilIdle();
    const order = await served();
    expect(order).toHaveLength(34);
    expect(order.slice(0, BEFORE_THE_END).filter((each) => each === 'modest')).toHaveLength(4);
  });

  it('leave half of the slots to others, however urgent those of one account are', async () => {
    await tasksOf(greedy, 30, 'operator');
    world.clock.advance(1_000);
    await tasksOf(modest, 4, 'schedule');
    await service.backfill.runUntilIdle();
    const order = await served();
    expect(order.slice(0, BEFORE_THE_END).filter((each) => each === 'modest')).toHaveLength(4);
    expect(order.slice(0, 20).filter((each) => each === 'greedy').length).toBeGreaterThanOrEqual(4);
  });

  it('of one account take all slots if no other account waits', async () => {
    await tasksOf(greedy, 6, 'schedule');
    await world.sandbox.control.fault({ kind: 'timeout', path: '/v2/timeseries' });
    service.backfill.tick();
    const running = async () => (await world.tasks()).filter(({ status }) => status === 'running').length;
    await until(async () => (await running()) === 2);
  });
});
