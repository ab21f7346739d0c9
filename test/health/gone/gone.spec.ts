import { HOUR, SECOND } from '../../support/environment.js';
import { at, day, first, GoneWorld, iso, resource } from './support/gone-world.js';

let world: GoneWorld;
afterEach(() => world.close());

describe('a record that upstream no longer has', () => {
  it('is a candidate after one complete look, and gone after a second one six hours later', async () => {
    world = await GoneWorld.create();
    await world.put([0, 1, 2]);
    await world.remove([1]);
    await world.look();
    expect(await world.states()).toEqual(['1 candidate']);
    expect(await world.hours()).toEqual([0, 1, 2]);
    await world.wait(5 * 3_600);
    await world.look();
    expect(await world.states()).toEqual(['1 candidate']);
    await world.wait(3_600);
    await world.look();
    expect(await world.states()).toEqual(['1 gone']);
    expect(await world.hours()).toEqual([0, 2]);
    const [row] = await world.missing();
    expect((row?.confirmed_at ?? 0) - (row?.missed_at ?? 0)).toBeGreaterThanOrEqual(6 * HOUR);
    expect(JSON.parse(row?.records ?? '')).toMatchObject([{ time: at(1), value: 2, provider: 'oura' }]);
  });

  it('is checked again automatically when the time has come', async () => {
    world = await GoneWorld.create({ env: { SYNC_INTERVAL_SECONDS: '604800', SYNC_MAX_INTERVAL_SECONDS: '604800' } });
    await world.put([0, 1, 2]);
    await world.remove([1]);
    await world.look();
    await world.app.advance(6 * 3_600 + 60);
    expect(await world.states()).toEqual(['1 gone']);
    const [narrow] = await world.app.store.reader.rows<{ origin: string; window_start: number }>(
      `SELECT origin, window_start FROM sync_tasks WHERE resource = ? ORDER BY id DESC`,
      [resource],
    );
    expect(narrow).toMatchObject({ origin: 'reread', window_start: at(0) });
  });

  it('is gone with the next complete look if no waiting time is set', async () => {
    world = await GoneWorld.create({ env: { DELETION_CONFIRM_HOURS: '0' } });
    await world.put([0, 1, 2]);
    await world.remove([1]);
    await world.look();
    expect(await world.states()).toEqual(['1 gone']);
  });

  it('stays if it was seen between the looks, by a page or a message', async () => {
    world = await GoneWorld.create();
    await world.put([0, 1, 2]);
    await world.remove([0, 1]);
    await world.look();
    expect(await world.states()).toEqual(['0 candidate', '1 candidate']);
    await world.put([0], false);
    await world.put([1]);
    await world.wait(7 * 3_600);
    await world.look();
    expect(await world.states()).toEqual([]);
    expect(await world.hours()).toEqual([0, 1, 2]);
  });

  it('needs two more looks if it was seen between them and went missing again', async () => {
    world = await GoneWorld.create();
    await world.put([0, 1, 2]);
    await world.remove([1]);
    await world.look();
    await world.put([1]);
    await world.remove([1]);
    await world.wait(7 * 3_600);
    await world.look();
    expect(await world.states()).toEqual(['1 candidate']);
    await world.wait(7 * 3_600);
    await world.look();
    expect(await world.states()).toEqual(['1 gone']);
  });

  it('comes back when a page shows it, and not by a message alone', async () => {
    world = await GoneWorld.create({ env: { DELETION_CONFIRM_HOURS: '0' } });
    await world.put([0, 1, 2]);
    const { messages } = await world.app.sandbox.control.messages({ event_type: `daily.data.${resource}.created` });
    await world.remove([1]);
    await world.look();
    expect(await world.hours()).toEqual([0, 2]);
    const [{ id = '' } = {}] = messages;
    const { body } = await world.app.sandbox.control.message(id);
    await world.app.sandbox.control.send({ raw: body });
    await world.app.settle();
    expect(await world.hours()).toEqual([0, 2]);
    expect(await world.states()).toEqual(['1 gone']);
    await world.put([1]);
    expect(await world.hours()).toEqual([0, 1, 2]);
    expect(await world.states()).toEqual([]);
  });

  it('comes back immediately if it was confirmed as gone while the clock was hours ahead', async () => {
    world = await GoneWorld.create({ env: { DELETION_CONFIRM_HOURS: '0' } });
    await world.put([0, 1, 2]);
    await world.remove([1]);
    world.app.clock.step(6 * HOUR);
    await world.look();
    expect(await world.states()).toEqual(['1 gone']);
    world.app.clock.step(-6 * HOUR);
    await world.put([1]);
    expect(await world.hours()).toEqual([0, 1, 2]);
    expect(await world.states()).toEqual([]);
  });

  it('is only suspected by a pull over every source, which causes a look at each source', async () => {
    world = await GoneWorld.create();
    await world.put([0, 1, 2]);
    await world.remove([1]);
    await world.look({ provider: '', start: first - 2 * day });
    expect(await world.states()).toEqual(['1 candidate']);
    const [row] = await world.missing();
    expect(row?.look_due_at).toBeGreaterThan(world.app.clock.now());
    const sql = 'SELECT provider FROM sync_tasks WHERE id = ?';
    expect(await world.app.store.reader.rows(sql, [row?.missed_by ?? 0])).toEqual([{ provider: 'oura' }]);
  });

  it.each([{ isConnectedAgain: false }, { isConnectedAgain: true }])(
    'is not suspected if its connection has ended, so its range is not pulled again: %j',
    async ({ isConnectedAgain }) => {
      world = await GoneWorld.create();
      await world.put([0, 1, 2]);
      await world.app.admin('DELETE', '/accounts/person/sources/oura');
      await world.app.advance(60);
      if (isConnectedAgain) {
        await world.app.sandbox.control.connect({ user_id: world.userId, provider: 'oura', resources: ['sleep'] });
        await world.app.advance(60);
      }
      await world.remove([0, 1, 2]);
      await world.look({ provider: '', start: first - 2 * day });
      expect(await world.states()).toEqual([]);
      expect(await world.hours()).toEqual([0, 1, 2]);
    },
  );

  it('is only counted with DELETIONS=observe, and not looked for with off', async () => {
    world = await GoneWorld.create({ env: { DELETIONS: 'apply,oura:observe', DELETION_CONFIRM_HOURS: '0' } });
    await world.put([0, 1, 2]);
    await world.remove([1]);
    await world.look();
    expect(await world.states()).toEqual([]);
    expect(await world.app.metric('records_missing_total', { resource, outcome: 'observed' })).toBe(1);
  });

  it('is gone if it is an old night, but not if a look shows an older version of it', async () => {
    world = await GoneWorld.create({ env: { DELETION_CONFIRM_HOURS: '0', SYNC_BACKFILL_DAYS: '30' } });
    const { sandbox } = world.app;
    await sandbox.control.generate({
      user_id: world.userId,
      provider: 'oura',
      resource: 'sleep',
      days: 20,
      notify: false,
    });
    await sandbox.control.pullAgain({ user_id: world.userId, provider: 'oura', resources: ['sleep'] });
    await world.app.advance(120);
    await world.wait(1);
    const stored = (): Promise<{ id: string; time: number }[]> =>
      world.app.store.reader.rows('SELECT summary_id AS id, time FROM summaries ORDER BY time');
    const nights = await stored();
    expect(nights).toHaveLength(20);
    await world.app.store.lane.run((tx) =>
      tx.execute('UPDATE summaries SET version = version + 1 WHERE summary_id = ?', [nights[9]?.id ?? '']),
    );
    await sandbox.control.remove({ user_id: world.userId, resource: 'sleep', summary_id: nights[8]?.id ?? '' });
    await world.wait(60);
    await world.look({ resource: 'sleep', start: first - 30 * day });
    expect((await stored()).map(({ id }) => id)).toEqual(nights.flatMap(({ id }, n) => (n === 8 ? [] : [id])));
  });
});

describe('a record whose time upstream changed', () => {
  const intervals = (): Promise<{ time: number }[]> => world.app.store.reader.rows('SELECT time FROM samples');

  it('is superseded immediately by one that overlaps it, and its value does not count twice', async () => {
    world = await GoneWorld.create();
    await world.put([0, 1, 2]);
    const bounds = { start: iso(at(1)), end: iso(at(2)) };
    await world.app.sandbox.control.shift({ user_id: world.userId, resource, ...bounds, seconds: 300 });
    await world.app.settle();
    expect(await intervals()).toHaveLength(4);
    await world.wait(1);
    await world.look();
    expect(await world.states()).toEqual(['1 superseded']);
    expect(await intervals()).toEqual([0, 1 + 300 / 3_600, 2].map((hour) => ({ time: at(hour) })));
  });

  it('is a candidate if the new one does not overlap it', async () => {
    world = await GoneWorld.create();
    await world.put([0, 1, 2]);
    const bounds = { start: iso(at(1)), end: iso(at(2)) };
    await world.app.sandbox.control.shift({ user_id: world.userId, resource, ...bounds, seconds: 1_200 });
    await world.look();
    expect(await world.states()).toEqual(['1 candidate']);
  });

  it('is not superseded by an overlapping one of another device', async () => {
    world = await GoneWorld.create();
    await world.put([0, 1, 2]);
    await world.remove([1]);
    const points = [{ start: iso(at(1) + 60_000), end: iso(at(1) + HOUR / 6), value: 2 }];
    const device_id = '7b4d1f3a-58c5-4d3a-9b51-0d1f9b0c2a11';
    await world.app.sandbox.control.put({ user_id: world.userId, provider: 'oura', resource, device_id, points });
    await world.app.settle();
    await world.wait(1);
    await world.look();
    expect(await world.states()).toEqual(['1 candidate']);
  });

  it('is superseded as a night that is shown under a new id', async () => {
    world = await GoneWorld.create();
    const { sandbox } = world.app;
    const night = { bedtime_start: iso(at(0)), bedtime_stop: iso(at(8)), source_type: 'ring' };
    const put = async (): Promise<string> => {
      await sandbox.control.put({ user_id: world.userId, provider: 'oura', resource: 'sleep', summaries: [night] });
      await world.app.settle();
      const rows = await world.app.store.reader.rows<{ id: string }>(
        'SELECT summary_id AS id FROM summaries ORDER BY observation_id DESC',
      );
      return rows[0]?.id ?? '';
    };
    const old = await put();
    await sandbox.control.remove({ user_id: world.userId, resource: 'sleep', summary_id: old });
    await world.wait(1);
    const renewed = await put();
    expect(renewed).not.toBe(old);
    await world.wait(1);
    await world.look({ resource: 'sleep', start: first - 3 * day });
    const stored = await world.app.store.reader.rows<{ id: string }>('SELECT summary_id AS id FROM summaries');
    expect(stored).toEqual([{ id: renewed }]);
    expect(await world.missing()).toMatchObject([{ summary_id: old, state: 'superseded' }]);
  });
});

describe('a record is not judged', () => {
  const unmarked = async (): Promise<void> => {
    expect(await world.states()).toEqual([]);
    expect(await world.hours()).toContain(1);
  };

  beforeEach(async () => {
    world = await GoneWorld.create({ env: { DELETION_CONFIRM_HOURS: '0' } });
    await world.put([0, 1, 2]);
  });

  it('at the edge of the window', async () => {
    await world.remove([1]);
    await world.look({ start: at(1) + 500 });
    await world.look({ start: at(1) });
    await world.look({ end: at(1) + HOUR / 6 });
    await unmarked();
  });

  it('by a pull that was deferred once', async () => {
    await world.remove([1]);
    await world.app.sandbox.control.fault({ kind: 'status', status: 503, path: '/v2/timeseries', burst: 9, times: 9 });
    await world.look();
    await world.app.advance(600);
    await unmarked();
  });

  it('by a pull with an entry that cannot be stored', async () => {
    await world.remove([1]);
    await world.app.sandbox.control.put({
      ...{ user_id: world.userId, provider: 'oura', resource, notify: false },
      points: [{ start: '1700-01-01T00:00:00Z', end: iso(at(3)), value: 1 }],
    });
    await world.look({ start: Date.UTC(1690, 0, 1) });
    await unmarked();
  });

  it('while its source is in error', async () => {
    await world.remove([1]);
    const place = { user_id: world.userId, provider: 'oura' };
    await world.app.sandbox.control.breakConnection({ ...place, error_type: 'token_refresh_failed' });
    await world.app.settle();
    await world.look();
    await unmarked();
  });

  it('if it was last seen before the source was connected again', async () => {
    await world.remove([1]);
    await world.wait(60);
    await world.app.sandbox.control.connect({ user_id: world.userId, provider: 'oura', resources: ['sleep'] });
    await world.app.settle();
    await world.wait(60);
    await world.look();
    await unmarked();
  });

  it('if a message brought it after the look began', async () => {
    await world.remove([1]);
    world.app.clock.step(-2 * SECOND);
    await world.look();
    await unmarked();
  });
});
