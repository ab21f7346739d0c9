import { until } from '../../support/until.js';
import { day, type SyncService, SyncWorld, start } from './support/sync-world.js';

let world: SyncWorld;
let service: SyncService;

beforeEach(async () => {
  world = await SyncWorld.create();
  service = world.service;
});
afterEach(() => world.close());

describe('a pull', () => {
  it('stores every page of its window and ends as done and covered [timeseries#the-call]', async () => {
    const account = await world.account(service);
    await world.data(account.userId, 'mindfulness_minutes', { days: 30, per_day: 10 });
    const id = await world.request(service, account.ref);
    await service.backfill.runUntilIdle();
    const { stored, upstream } = await world.samples(account, 'mindfulness_minutes');
    expect(stored).toEqual(upstream);
    expect(await world.task(id)).toMatchObject({
      status: 'done',
      pages: 6,
      records: 300,
      written: 300,
      rejected: 0,
      next_cursor: null,
      due_at: null,
      lease_owner: null,
      error_code: null,
    });
    expect(await world.coverage()).toEqual([
      { provider: '', resource: 'mindfulness_minutes', range_start: start - 90 * day, range_end: start },
    ]);
    const origins = `SELECT DISTINCT origin FROM pending_changes WHERE kind = 'samples'`;
    expect(await world.store.reader.rows(origins)).toEqual([{ origin: 'repair' }]);
  });

  it('of more than one turn returns to the queue and continues at its cursor', async () => {
    await world.sandbox.control.configure({ page_size: 5 });
    const account = await world.account(service);
    await world.data(account.userId, 'blood_pressure', { days: 25, per_day: 6 });
    const id = await world.request(service, account.ref, { resource: 'blood_pressure' });
    await service.backfill.runUntilIdle();
    const { stored, upstream } = await world.samples(account, 'blood_pressure');
    expect(stored).toEqual(upstream);
    expect(await world.task(id)).toMatchObject({ status: 'done', pages: 30, turns: 2, records: 150 });
    expect(await world.pageCalls()).toBe(30);
  });

  it('of summaries reads parts of 30 days and continues at the part where it stopped [summaries#no-paging]', async () => {
    const account = await world.account(service);
    await world.data(account.userId, 'sleep', { days: 85, per_day: 1 });
    await world.sandbox.control.fault({ kind: 'status', status: 503, path: '/v2/summary/sleep', skip: 2, times: 1 });
    const id = await world.request(service, account.ref, { resource: 'sleep' });
    await service.backfill.runUntilIdle();
    expect(await world.task(id)).toMatchObject({ status: 'pending', pages: 2, error_code: 'upstream_unavailable' });
    await world.advance(60);
    await service.backfill.runUntilIdle();
    expect(await world.task(id)).toMatchObject({ status: 'done', pages: 3 });
    const { calls } = await world.sandbox.control.calls({ path: '/v2/summary/sleep' });
    expect(calls.map(({ status }) => status)).toEqual([200, 200, 503, 200]);
    const { stored, upstream } = await world.summaries(account, 'sleep');
    expect(stored).toEqual(upstream);
    expect(stored.length).toBeGreaterThan(80);
  });

  it('of a profile is one page, and a missing one is no failure [summaries#profile]', async () => {
    const account = await world.account(service);
    const id = await world.request(service, account.ref, { resource: 'profile' });
    await service.backfill.runUntilIdle();
    expect(await world.task(id)).toMatchObject({ status: 'done', pages: 1, records: 0 });
  });

  it('reads only its source [timeseries#the-call]', async () => {
    const account = await world.account(service);
    await world.data(account.userId, 'mindfulness_minutes', { days: 3, per_day: 4, provider: 'oura' });
    await world.data(account.userId, 'mindfulness_minutes', { days: 3, per_day: 4, provider: 'fitbit' });
    await world.request(service, account.ref, { provider: 'fitbit' });
    await service.backfill.runUntilIdle();
    const { stored, upstream } = await world.samples(account, 'mindfulness_minutes');
    expect(stored).toEqual(upstream.filter((row) => row.startsWith('fitbit')));
    expect(stored).toHaveLength(12);
  });

  it('absorbs an equal request while it waits, but not once it was claimed', async () => {
    const account = await world.account(service);
    const first = await world.request(service, account.ref, { origin: 'schedule' });
    const second = await world.request(service, account.ref, { origin: 'operator' });
    expect(second).toBe(first);
    expect(await world.task(first)).toMatchObject({ origin: 'operator', priority: 10 });
    await service.backfill.runUntilIdle();
    expect(await world.request(service, account.ref)).not.toBe(first);
  });

  it('of a conflicting stretch heals it, and neighbouring stretches are one pull', async () => {
    const account = await world.account(service);
    await world.data(account.userId, 'mindfulness_minutes', { days: 2, per_day: 10 });
    const at = start - day;
    await service.write((tx, sync) =>
      sync.requestRefetch(tx, account.ref, 'mindfulness_minutes', [
        { provider: 'oura', start: at, end: at },
        { provider: 'oura', start: at + 5, end: at + 60_000 },
      ]),
    );
    await service.backfill.runUntilIdle();
    const [task, ...others] = await world.tasks();
    expect(others).toEqual([]);
    expect(task).toMatchObject({ origin: 'reread', provider: 'oura', status: 'done' });
    expect(task?.window_start).toBeLessThan(at);
    expect(task?.window_end).toBeGreaterThan(at + 60_000);
  });
});

describe('a pull that was interrupted', () => {
  it('continues at the stored cursor, and its former holder can store nothing more [timeseries#paging]', async () => {
    const account = await world.account(service);
    await world.data(account.userId, 'mindfulness_minutes', { days: 30, per_day: 10 });
    const left = await world.another({ UPSTREAM_TIMEOUT_MS: '60000' });
    await world.sandbox.control.fault({ kind: 'timeout', path: '/v2/timeseries', skip: 2, times: 1 });
    const id = await world.request(service, account.ref);
    left.backfill.tick();
    await until(async () => (await world.faultsStruck()) === 1);
    const held = await world.task(id);
    expect(held).toMatchObject({ status: 'running', pages: 2, records: 100 });

    await service.backfill.runUntilIdle();
    expect(await world.task(id)).toEqual(held);

    world.clock.set((held.lease_until ?? 0) + 1);
    await service.backfill.runUntilIdle();
    expect(await world.task(id)).toMatchObject({ status: 'done', pages: 6, records: 300, turns: 2 });
    const { stored, upstream } = await world.samples(account, 'mindfulness_minutes');
    expect(stored).toEqual(upstream);

    await left.backfill.stop(5_000);
    const { calls } = await world.sandbox.control.calls({ path: '/v2/timeseries' });
    expect(calls.filter(({ status }) => status === 200)).toHaveLength(6);
    expect(await world.task(id)).toMatchObject({ status: 'done', pages: 6 });
    expect(left.logged.some((line) => line.includes('sync.lease_lost'))).toBe(true);
  });

  it('is released with its cursor when the process stops', async () => {
    const account = await world.account(service);
    await world.data(account.userId, 'mindfulness_minutes', { days: 30, per_day: 10 });
    const stopping = await world.another({ UPSTREAM_TIMEOUT_MS: '60000' });
    await world.sandbox.control.fault({ kind: 'timeout', path: '/v2/timeseries', skip: 3, times: 1 });
    const id = await world.request(service, account.ref);
    stopping.backfill.tick();
    await until(async () => (await world.faultsStruck()) === 1);
    expect(await stopping.backfill.stop(5_000)).toBe('drained');
    expect(await world.task(id)).toMatchObject({ status: 'pending', pages: 3, lease_owner: null, attempts: 0 });
    await service.backfill.runUntilIdle();
    expect(await world.task(id)).toMatchObject({ status: 'done', pages: 6 });
  });

  it('is due again at the next start on SQLite, at the end of its lease on PostgreSQL', async () => {
    const account = await world.account(service);
    const id = await world.request(service, account.ref);
    await world.store.lane.run((tx) =>
      tx.execute(`UPDATE sync_tasks SET status = 'running', lease_owner = 'gone', lease_until = ?, due_at = ?`, [
        start + 60_000,
        start + 60_000,
      ]),
    );
    const next = await world.another();
    await next.backfill.runUntilIdle();
    const expected = world.store.dialect === 'sqlite' ? 'done' : 'running';
    expect(await world.task(id)).toMatchObject({ status: expected });
    world.clock.advance(60_000);
    await next.backfill.runUntilIdle();
    expect(await world.task(id)).toMatchObject({ status: 'done' });
  });
});

describe('two processes', () => {
  it('share the tasks and request each page once', async () => {
    const other = await world.another();
    const accounts = [];
    for (let index = 0; index < 6; index++) {
      const account = await world.account(service, `customer-${index}`);
      await world.data(account.userId, 'mindfulness_minutes', { days: 20, per_day: 10 });
      await world.data(account.userId, 'blood_pressure', { days: 20, per_day: 5 });
      await world.request(service, account.ref);
      await world.request(service, account.ref, { resource: 'blood_pressure' });
      accounts.push(account);
    }
    await Promise.all([service.backfill.runUntilIdle(), other.backfill.runUntilIdle()]);
    const tasks = await world.tasks();
    expect(tasks.map(({ status, turns }) => `${status} ${turns}`)).toEqual(Array(12).fill('done 1'));
    expect(await world.pageCalls()).toBe(tasks.reduce((sum, { pages }) => sum + pages, 0));
    for (const account of accounts) {
      const { stored, upstream } = await world.samples(account, 'blood_pressure');
      expect(stored).toEqual(upstream);
      expect(stored).toHaveLength(100);
    }
  });
});
