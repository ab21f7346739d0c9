import { ClockStepsWorker } from '../../../src/storage/work/clock-steps.worker.js';
import { type Account, day, type SyncService, SyncWorld, start } from './support/sync-world.js';

const hour = 3_600_000;
let world: SyncWorld;
let service: SyncService;
let account: Account;

beforeEach(async () => {
  world = await SyncWorld.create();
  service = world.service;
  account = await world.account(service);
});
afterEach(() => world.close());

function connected(provider = 'oura', ref = account.ref): Promise<void> {
  return service.write((tx) => service.streams.connect(tx, ref, provider));
}

describe('a connected source', () => {
  it('has one stream per synced resource and is pulled immediately over the first window', async () => {
    await connected();
    await service.schedule.runUntilIdle();
    const tasks = await world.tasks();
    expect(tasks.map(({ resource }) => resource).sort()).toEqual(['blood_pressure', 'mindfulness_minutes', 'sleep']);
    for (const task of tasks) {
      expect(task).toMatchObject({
        origin: 'connection',
        provider: 'oura',
        window_start: start - 90 * day,
        window_end: start,
      });
    }
    for (const stream of await world.streams()) {
      expect(stream).toMatchObject({ status: 'active', covered_until: null });
      expect(stream.next_due_at).toBeGreaterThan(start + hour / 2);
      expect(stream.next_due_at).toBeLessThanOrEqual(start + 1.5 * hour);
    }
  });

  it('is pulled every interval from its high-water mark less the look-back [environments#service]', async () => {
    await connected();
    await service.settle();
    await world.advance(2 * 3_600);
    await service.schedule.runUntilIdle();
    const later = (await world.tasks()).filter(({ origin }) => origin === 'schedule');
    expect(later).toHaveLength(3);
    for (const task of later) {
      expect(task).toMatchObject({ window_start: start - 48 * hour, window_end: start + 2 * hour });
    }
    await service.settle();
    expect((await world.streams()).map(({ covered_until }) => covered_until)).toEqual(Array(3).fill(start + 2 * hour));
    expect(await world.coverage()).toContainEqual({
      provider: 'oura',
      resource: 'sleep',
      range_start: start - 90 * day,
      range_end: start + 2 * hour,
    });
  });

  it('gets exactly one task per due stream from two simultaneous processes', async () => {
    const other = await world.another();
    for (let index = 0; index < 60; index++) {
      const one = await service.write(async (tx) => {
        const [row] = await tx.rows<{ id: number }>(
          `INSERT INTO accounts (account_id, upstream_user_id, status, created_at, updated_at)
           VALUES (?, ?, 'active', 0, 0) RETURNING id`,
          [`many-${index}`, `user-${index}`],
        );
        return row?.id ?? 0;
      });
      await connected('oura', one);
    }
    await Promise.all([service.schedule.runUntilIdle(), other.schedule.runUntilIdle()]);
    const tasks = await world.tasks();
    expect(tasks).toHaveLength(180);
    expect(new Set(tasks.map(({ account_id, resource }) => `${account_id} ${resource}`)).size).toBe(180);
  });

  it('has no second task while the first waits, which takes over the newer end', async () => {
    await connected();
    for (let round = 0; round < 4; round++) {
      await service.schedule.runUntilIdle();
      await world.advance(3_600);
    }
    await service.schedule.runUntilIdle();
    const tasks = await world.tasks();
    expect(tasks).toHaveLength(3);
    for (const task of tasks) expect(task.window_end).toBe(start + 4 * hour);
  });

  it('keeps the frozen end of a task that has begun, and has no second one until it ends', async () => {
    await world.sandbox.control.fault({ kind: 'status', status: 503, path: '/v2/' });
    await connected();
    await service.schedule.runUntilIdle();
    await service.backfill.runUntilIdle();
    await world.advance(3 * 3_600);
    await service.schedule.runUntilIdle();
    const tasks = await world.tasks();
    expect(tasks).toHaveLength(3);
    for (const task of tasks) expect(task).toMatchObject({ window_end: start, turns: 1 });
    await world.sandbox.control.clearFaults();
    await service.backfill.runUntilIdle();
    await world.advance(3_600);
    await service.schedule.runUntilIdle();
    expect((await world.tasks()).filter(({ status }) => status === 'pending')).toHaveLength(3);
  });

  it('is pulled one last time when it is disconnected, and again from its mark when it comes back', async () => {
    await connected();
    await service.settle();
    await world.advance(1_200);
    await service.write((tx) => service.streams.pause(tx, account.ref, 'oura'));
    await service.settle();
    const streams = await world.streams();
    for (const stream of streams) {
      expect(stream).toMatchObject({ status: 'paused', next_due_at: null, covered_until: start + 1_200_000 });
    }
    await world.advance(10 * 86_400);
    await service.settle();
    const before = (await world.tasks()).length;
    await connected();
    await service.schedule.runUntilIdle();
    const tasks = (await world.tasks()).slice(before);
    expect(tasks.map(({ window_start }) => window_start)).toEqual(Array(3).fill(start + 1_200_000 - 48 * hour));
  });

  it('is pulled one last time up to its end, also if a pull that began before it is still under way', async () => {
    await connected();
    await service.settle();
    await world.sandbox.control.fault({ kind: 'status', status: 503, path: '/v2/' });
    await world.advance(2 * 3_600);
    await service.schedule.runUntilIdle();
    await service.backfill.runUntilIdle();
    await world.advance(1_200);
    await service.write((tx) => service.streams.pause(tx, account.ref, 'oura'));
    const end = world.clock.now();
    await service.schedule.runUntilIdle();
    await world.sandbox.control.clearFaults();
    for (let minutes = 0; minutes < 150; minutes += 15) {
      await world.advance(900);
      await service.settle();
    }
    for (const { status, next_due_at, covered_until } of await world.streams()) {
      expect({ status, next_due_at }).toEqual({ status: 'paused', next_due_at: null });
      expect(covered_until).toBeGreaterThanOrEqual(end);
    }
  });

  it.each(['ended', 'began'])(
    'is covered up to now after a pull that %s while the clock was days ahead',
    async (did) => {
      if (did === 'began') await world.sandbox.control.fault({ kind: 'status', status: 503, path: '/v2/' });
      world.clock.step(5 * day);
      await service.app.run(ClockStepsWorker);
      await connected();
      await service.settle();
      world.clock.step(-5 * day);
      await service.app.run(ClockStepsWorker);
      await world.sandbox.control.clearFaults();
      for (let quarter = 0; quarter < 8; quarter += 1) {
        await world.advance(900);
        await service.settle();
      }
      const ends = (await world.coverage()).map(({ range_end }) => range_end);
      expect(ends).toHaveLength(3);
      for (const end of ends) {
        expect(end).toBeGreaterThan(start);
        expect(end).toBeLessThanOrEqual(world.clock.now());
      }
    },
  );

  it('pulls the resources that the source delivers or was seen to send', async () => {
    const all = await world.another({ SYNC_RESOURCES: 'all' });
    const pulled = async () => (await world.streams()).map(({ resource }) => resource);
    await all.write((tx) => all.streams.sourceSeen(tx, account.ref, 'oura', 'heartrate'));
    expect(await pulled()).toEqual(['heartrate']);
    const availability = {
      sleep: { status: 'available' },
      fat: { status: 'available' },
      steps: { status: 'unavailable' },
    };
    await all.write((tx) => all.streams.add(tx, account.ref, 'oura', availability));
    expect(await pulled()).toEqual(['body_fat', 'heartrate', 'sleep']);
    const requested = await all.write((tx) => all.sync.requestAccount(tx, account.ref, {}));
    expect(requested).toHaveLength(3);
    await all.write((tx) => all.streams.add(tx, account.ref, 'oura', {}));
    expect((await pulled()).length).toBeGreaterThan(50);
  });

  it('stays paused when records still arrive, which add only missing streams', async () => {
    await connected();
    await service.settle();
    await service.write((tx) => service.streams.pause(tx, account.ref, 'oura'));
    await service.settle();
    await service.write(async (tx) => {
      await service.streams.sourceSeen(tx, account.ref, 'oura', 'sleep');
      await service.streams.sourceSeen(tx, account.ref, 'fitbit', 'sleep');
    });
    const streams = await world.streams();
    expect(streams.map(({ provider, status }) => `${provider} ${status}`)).toEqual([
      ...Array<string>(3).fill('fitbit active'),
      ...Array<string>(3).fill('oura paused'),
    ]);
  });

  it('loses the tasks of a resource that is no longer synced, and gets them back when it is', async () => {
    await connected();
    await service.settle();
    const fewer = await world.another({ SYNC_RESOURCES: 'sleep' });
    await world.advance(2 * 3_600);
    await fewer.schedule.runUntilIdle();
    expect((await world.tasks()).filter(({ status }) => status === 'pending').map(({ resource }) => resource)).toEqual([
      'sleep',
    ]);
    await service.write((tx) => service.streams.sourceSeen(tx, account.ref, 'oura', 'sleep'));
    await service.schedule.runUntilIdle();
    expect((await world.tasks()).filter(({ status }) => status === 'pending')).toHaveLength(3);
  });
});
