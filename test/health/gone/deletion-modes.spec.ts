import { day, first, GoneWorld, resource } from './support/gone-world.js';

const HALF_A_DAY_S = 12 * 3_600;
let world: GoneWorld;

beforeEach(async () => {
  world = await GoneWorld.create();
});
afterEach(() => world.close());

/** Looks twice, long enough after each other for the second look to confirm the first. */
async function lookTwice(at: GoneWorld): Promise<void> {
  for (let look = 0; look < 2; look++) {
    await at.look();
    await at.wait(HALF_A_DAY_S);
  }
}

/** Twelve of twenty records are missing, and an operator rejects their deletion. */
async function reject(): Promise<void> {
  await world.put([...Array(20).keys()]);
  await world.remove([...Array(12).keys()]);
  await world.look();
  const { body } = await world.app.admin<{ data: { id: number }[] }>('GET', '/deletions');
  await world.app.admin('POST', `/deletions/${body.data[0]?.id}/reject`, { reason: 'An outage.' });
}

const statesOf = async (): Promise<Set<string>> => new Set((await world.missing()).map(({ state }) => state));

describe('a change of DELETIONS', () => {
  it('from observe to apply still needs two complete looks, whatever was counted before', async () => {
    const observing = await world.with('observe');
    await observing.put([0, 1, 2]);
    await observing.remove([1]);
    await lookTwice(observing);
    expect(await observing.app.metric('records_missing_total', { resource, outcome: 'observed' })).toBe(2);
    await world.look();
    expect(await world.states()).toEqual(['1 candidate']);
    expect(await world.hours()).toEqual([0, 1, 2]);
    await world.wait(HALF_A_DAY_S);
    await world.look();
    expect(await world.hours()).toEqual([0, 2]);
  });

  it.each(['observe', 'off', 'apply,oura:observe', 'apply,oura:off', 'observe,oura:off', 'off,garmin:apply'])(
    'to %s and back leaves the decisions of operators, also after pulls over every source',
    async (mode) => {
      await reject();
      const paused = await world.with(mode);
      await lookTwice(paused);
      await paused.look({ provider: '', start: first - 2 * day });
      expect(await statesOf()).toEqual(new Set(['kept']));
      await lookTwice(world);
      expect(await world.hours()).toHaveLength(20);
    },
  );

  it('to observe and back continues with candidates, except for one that a look showed in between', async () => {
    await world.put([0, 1, 2]);
    await world.remove([0, 1]);
    await world.look();
    const observing = await world.with('observe');
    await lookTwice(observing);
    expect(await world.hours()).toEqual([0, 1, 2]);
    await observing.put([0], false);
    await observing.look();
    expect(await world.states()).toEqual(['1 candidate']);
    await world.look();
    expect(await world.hours()).toEqual([0, 2]);
  });

  it.each(['observe', 'off'])('to %s for a month, and back, keeps the due looks at ranges', async (mode) => {
    await world.put([0, 1, 2]);
    await world.remove([1]);
    await world.look();
    const paused = await world.with(mode);
    const rereads = `SELECT COUNT(*) AS count FROM sync_tasks WHERE origin = 'reread'`;
    const [before] = await world.app.store.reader.rows(rereads);
    await paused.app.advance((30 * day) / 1_000, 60);
    expect(await world.app.store.reader.rows(rereads)).toEqual([before]);
    expect(await world.states()).toEqual(['1 candidate']);
    await world.app.advance(2 * HALF_A_DAY_S, 2);
    expect(await world.hours()).toEqual([0, 2]);
  });
});
