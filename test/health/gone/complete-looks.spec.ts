import { type Account, AccountsService } from '../../../src/accounts/accounts/accounts.service.js';
import { ConnectionsService } from '../../../src/accounts/connections/connections.service.js';
import { type Resource, resourceByName } from '../../../src/health/catalogue/catalogue.js';
import { CompleteLooks } from '../../../src/ingest/pulls/complete-looks.service.js';
import type { PullTaskEntity } from '../../../src/ingest/pulls/pull-task.entity.js';
import { SECOND } from '../../support/environment.js';
import { GoneWorld, resource } from './support/gone-world.js';

/*
 * A look that shows nothing of three stored records. Each condition of a complete look is taken away between its
 * beginning and its end.
 */

type Change = Partial<PullTaskEntity>;

let world: GoneWorld;
let task: PullTaskEntity;
let account: Account;
const kind = resourceByName(resource) as Resource;

beforeEach(async () => {
  world = await GoneWorld.create();
  await world.put([0, 1, 2]);
  await world.look();
  const rows = await world.app.store.reader.rows<PullTaskEntity>(
    `SELECT * FROM sync_tasks WHERE origin = 'operator' ORDER BY id DESC LIMIT 1`,
  );
  task = { ...(rows[0] as PullTaskEntity), pages: 0, turns: 1 };
  account = await world.app.get(AccountsService).get('person');
});
afterEach(() => world.close());

/** States of records after a look with a change before it, during it, and in its task at the end. */
async function look(
  during: () => unknown = () => undefined,
  before: Change = {},
  after: Change = {},
): Promise<string[]> {
  const looks = world.app.get(CompleteLooks);
  const open = await looks.begin({ ...task, ...before }, kind, account);
  await during();
  if (open) await looks.end(open, { ...task, ...before, ...after }, kind);
  return world.states();
}

const execute = (sql: string, values: (string | number)[] = []): Promise<number> =>
  world.app.store.lane.run((tx) => tx.execute(sql, values));

describe('a look', () => {
  it('is complete if nothing speaks against it', async () => {
    expect(await look()).toEqual(['0 candidate', '1 candidate', '2 candidate']);
  });

  it.each<[string, Change]>([
    ['an attempt went before it', { turns: 2 }],
    ['it was restarted', { restarts: 1 }],
    ['a page was stored before it', { pages: 1 }],
    ['it begins at a cursor', { next_cursor: 'further' }],
    ['its source is not connected', { provider: 'garmin' }],
  ])('is none if %s', async (_, before) => {
    expect(await look(undefined, before)).toEqual([]);
  });

  it.each<[string, Change]>([
    ['a record was rejected', { rejected: 1 }],
    ['a page came twice', { repeated_pages: 1 }],
    ['it did not end', { status: 'pending' }],
  ])('is none if %s', async (_, after) => {
    expect(await look(undefined, {}, after)).toEqual([]);
  });

  it.each([-5, 5])('is none if the clock was set by %d seconds during it', async (seconds) => {
    expect(await look(() => world.app.clock.step(seconds * SECOND))).toEqual([]);
  });

  it('is none if its source failed during it, even if it works again', async () => {
    const connections = world.app.get(ConnectionsService);
    const observedAt = world.app.clock.now();
    const failsAndRecovers = (): Promise<boolean> =>
      world.app.store.lane.run(async (tx) => {
        await connections.recordError(tx, world.account, { provider: 'oura', error_type: null, observedAt });
        return connections.recordConnected(tx, world.account, { provider: 'oura', observedAt: observedAt + 1 });
      });
    expect(await look(failsAndRecovers)).toEqual([]);
  });

  it('is none if its source is in error at its end', async () => {
    expect(await look(() => execute(`UPDATE connections SET status = 'error'`))).toEqual([]);
  });

  it.each([
    ['the upstream user is gone', 'user_gone_at = 1'],
    ['the upstream user is another', `upstream_user_id = 'another'`],
    ['the account is being erased', `status = 'erasing'`],
  ])('is none if %s at its end', async (_, change) => {
    expect(await look(() => execute(`UPDATE accounts SET ${change}`))).toEqual([]);
  });

  it('does not judge records seen before the account got its current user', async () => {
    account = { ...account, relinked_at: world.app.clock.now() };
    expect(await look()).toEqual([]);
  });

  it('does not judge records that end after it began', async () => {
    const [last] = await world.app.store.reader.rows<{ time: number }>('SELECT MAX(time) AS time FROM samples');
    await execute('UPDATE samples SET duration_ms = ? WHERE time = ?', [
      world.app.clock.now() - (last?.time ?? 0),
      last?.time ?? 0,
    ]);
    const window_end = task.window_end + 60 * SECOND;
    expect(await look(undefined, { window_end })).toEqual(['0 candidate', '1 candidate']);
  });
});
