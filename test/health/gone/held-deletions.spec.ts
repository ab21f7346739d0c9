import { driveCli } from '../../operations/cli/support/run-cli.js';
import { HOUR } from '../../support/environment.js';
import { first, GoneWorld } from './support/gone-world.js';

interface Hold {
  readonly id: number;
  readonly state: string;
  readonly missing: number;
  readonly shown: number;
}

const all = [...Array(20).keys()];
let world: GoneWorld;

beforeEach(async () => {
  world = await GoneWorld.create({ env: { DELETION_CONFIRM_HOURS: '0' } });
  await world.put(all);
});
afterEach(() => world.close());

async function holds(query = ''): Promise<Hold[]> {
  return (await world.app.admin<{ data: Hold[] }>('GET', `/deletions?${query}`, undefined, 'viewer')).body.data;
}

function decide(act: string, id: number, body: object = { reason: 'Agreed with upstream.' }) {
  return world.app.admin<Hold & { code?: string }>('POST', `/deletions/${id}/${act}`, body);
}

async function alarms(): Promise<string[]> {
  const { body } = await world.app.admin<{ data: { code: string }[] }>('GET', '/alarms');
  return body.data.map(({ code }) => code);
}

/** So many records of another resource went within the last hour. */
async function goneLately(count: number): Promise<void> {
  await world.app.store.lane.run((tx) =>
    tx.execute(
      `INSERT INTO missing_records (account_id, resource, time, series_id, summary_id, provider, end_time, state,
         seen_by, looks, gone_at, records)
       WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       SELECT ?, 'steps', n.i, 999, '', 'oura', n.i, 'gone', 0, 0, ?, '[]' FROM n`,
      [count, world.account, world.app.clock.now()],
    ),
  );
}

const statesOf = async (): Promise<Set<string>> => new Set((await world.missing()).map(({ state }) => state));

describe('a look that misses many records', () => {
  it('hides none of them and waits for an operator, with an alarm', async () => {
    await world.remove(all.slice(0, 10));
    await world.look();
    await world.look();
    expect(await world.hours()).toEqual(all);
    expect(await statesOf()).toEqual(new Set(['held']));
    expect(await holds('state=open&provider=oura')).toMatchObject([{ missing: 10, shown: 10, account_id: 'person' }]);
    expect(await holds('provider=garmin')).toEqual([]);
    await world.app.advance(60);
    expect(await alarms()).toContain('deletions_held');
  });

  it('is made for each source if a pull over every source misses many records, even scattered ones', async () => {
    const apart = all.filter((hour) => hour % 2 === 0).concat([1, 3]);
    await world.remove(apart);
    await world.look({ provider: '' });
    expect(await world.hours()).toEqual(all);
    expect(await holds('state=open')).toMatchObject([{ missing: 12, provider: 'oura' }]);
    await world.look();
    expect(await world.hours()).toEqual(all);
  });

  it('of fewer than ten records, or of a small share, is not held', async () => {
    await world.remove(all.slice(0, 9));
    await world.look();
    expect(await world.hours()).toEqual(all.slice(9));
    expect(await holds()).toEqual([]);
  });

  it('is released: the next complete look hides what it misses as well', async () => {
    await world.remove(all.slice(0, 12));
    await world.look();
    const [hold] = await holds();
    const id = hold?.id ?? 0;
    await world.put([3], false);
    expect(await decide('release', id)).toMatchObject({ status: 200, body: { state: 'released' } });
    await world.app.advance(60);
    expect(await world.hours()).toEqual([3, ...all.slice(12)]);
    expect(await alarms()).not.toContain('deletions_held');
    expect(await decide('release', id)).toMatchObject({ status: 200 });
    expect(await decide('reject', id)).toMatchObject({ status: 409, body: { code: 'conflict' } });
  });

  it('can be released even while the hourly limit is exceeded, because the operator has decided', async () => {
    await world.remove(all.slice(0, 12));
    await world.look();
    const [hold] = await holds();
    await goneLately(1_000);
    await decide('release', hold?.id ?? 0);
    await world.app.advance(60);
    expect(await world.hours()).toEqual(all.slice(12));
    expect(await holds('state=open')).toEqual([]);
  });

  it('does not count towards the hourly limit once it is released', async () => {
    await world.remove(all.slice(0, 12));
    await world.look();
    const [hold] = await holds();
    await decide('release', hold?.id ?? 0);
    await world.app.advance(60);
    await goneLately(995);
    await world.remove([15]);
    await world.look();
    await world.look();
    expect(await world.hours()).toEqual(all.slice(12).filter((hour) => hour !== 15));
  });

  it('is rejected: its records stay, also after further looks', async () => {
    await world.remove(all.slice(0, 12));
    await world.look();
    const [hold] = await holds();
    expect(await decide('reject', hold?.id ?? 0)).toMatchObject({ status: 200, body: { state: 'rejected' } });
    await world.look();
    await world.look();
    expect(await world.hours()).toEqual(all);
    expect(await statesOf()).toEqual(new Set(['kept']));
    expect(await holds('state=open')).toEqual([]);
  });

  it('does not undo earlier rejections if it misses more records than one look judges', async () => {
    await world.remove(all.slice(0, 12));
    await world.look();
    const [hold] = await holds();
    await decide('reject', hold?.id ?? 0);
    const kept = await world.states();
    await world.app.store.lane.run((tx) =>
      tx.execute(
        `INSERT INTO samples (series_id, time, sibling, value, duration_ms, group_id)
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10001)
         SELECT p.series_id, p.time - n.i * 1000, 0, p.value, p.duration_ms, p.group_id FROM samples p CROSS JOIN n
         WHERE p.time = ?`,
        [first],
      ),
    );
    await world.look({ start: first - 4 * HOUR });
    expect(await holds('state=open')).toMatchObject([{ missing: 10_001 }]);
    expect((await world.states()).filter((row) => row.endsWith('kept'))).toEqual(kept);
  });

  it('does not undo rejections of a source in error when every source is pulled', async () => {
    await world.remove(all.slice(0, 12));
    await world.look();
    const [hold] = await holds();
    await decide('reject', hold?.id ?? 0);
    const kept = await world.states();
    await world.app.sandbox.control.breakConnection({
      user_id: world.userId,
      provider: 'oura',
      error_type: 'token_refresh_failed',
    });
    await world.app.settle();
    await world.look({ provider: '' });
    expect(await world.states()).toEqual(kept);
  });

  it('is also held once a thousand records went within an hour, whatever its own share', async () => {
    await goneLately(1_000);
    await world.remove([7]);
    await world.look();
    expect(await world.hours()).toEqual(all);
    expect(await holds('state=open')).toMatchObject([{ missing: 1 }]);
  });

  it('is no longer held once upstream shows the records again', async () => {
    await world.remove(all.slice(0, 12));
    await world.look();
    const [hold] = await holds();
    await world.put(all.slice(2, 6), false);
    await world.look();
    expect(await holds()).toMatchObject([{ id: hold?.id, state: 'open', missing: 8 }]);
    await world.put(all.slice(0, 12), false);
    await world.look();
    expect(await holds()).toEqual([]);
    expect(await decide('release', hold?.id ?? 0)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    await world.app.advance(60);
    expect(await alarms()).not.toContain('deletions_held');
    expect(await world.hours()).toEqual(all);
  });

  it('counts a record once that a message showed during the hold and that is missed again', async () => {
    await world.remove(all.slice(0, 12));
    await world.look();
    await world.put([0]);
    await world.remove([0]);
    await world.look();
    await world.look();
    expect(await holds()).toMatchObject([{ state: 'open', missing: 11 }]);
    expect(await world.hours()).toEqual(all.slice(1));
  });

  it('is decided once: the second of two operators sees who decided, and why', async () => {
    await world.remove(all.slice(0, 12));
    await world.look();
    const [hold] = await holds();
    const id = hold?.id ?? 0;
    const acts = ['release', 'reject', 'release', 'reject'];
    const answers = await Promise.all(acts.map((act, nth) => decide(act, id, { reason: `Operator ${nth}.` })));
    const [decided] = await holds();
    expect(decided).toMatchObject({ missing: 12, decided_by: 'operator', reason: expect.stringMatching(/^Operator/) });
    const made = decided?.state === 'released' ? 'release' : 'reject';
    for (const [nth, { status, body }] of answers.entries()) {
      expect([status, body.code ?? body]).toEqual(acts[nth] === made ? [200, decided] : [409, 'conflict']);
    }
    const late = await driveCli(world.app.url, ['deletions', made, String(id), '--reason', 'Me too.'], 'operator-key');
    expect([late.code, late.out]).toEqual([0, expect.stringMatching(/^reason +Operator \d\.$/m)]);
    expect(late.out).toMatch(/^decided_by +operator$/m);
    const other = made === 'release' ? 'reject' : 'release';
    const refused = await driveCli(world.app.url, ['deletions', other, String(id), '--reason', 'No.'], 'operator-key');
    expect([refused.code === 0, refused.err]).toEqual([false, expect.stringMatching(/These deletions were /)]);
    expect((await holds())[0]).toEqual(decided);
  });

  it('can be listed and decided by commands', async () => {
    await world.remove(all.slice(0, 12));
    await world.look();
    const [hold] = await holds();
    const listed = await driveCli(world.app.url, ['deletions', 'list', '--state', 'open']);
    expect([listed.code, listed.out]).toEqual([0, expect.stringMatching(/open\tperson\toura\t.*\t12\t8\t/)]);
    const args = ['deletions', 'reject', String(hold?.id), '--reason', 'An outage.'];
    const rejected = await driveCli(world.app.url, args, 'operator-key');
    expect([rejected.code, rejected.out]).toEqual([0, expect.stringMatching(/^state +rejected$/m)]);
    expect((await driveCli(world.app.url, ['deletions', 'release', '99', '--reason', 'x'])).code).not.toBe(0);
  });

  it('can be decided only with a reason, and only by its number', async () => {
    expect(await decide('release', 1, {})).toMatchObject({ status: 400 });
    expect(await decide('release', 1)).toMatchObject({ status: 404 });
    const named = await world.app.admin('POST', '/deletions/first/release', { reason: 'Agreed with upstream.' });
    expect([named.status, named.body.code]).toEqual([400, 'invalid_request']);
  });
});
