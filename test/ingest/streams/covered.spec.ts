import { type Account, day, type SyncService, SyncWorld, start } from '../pulls/support/sync-world.js';

let world: SyncWorld;
let service: SyncService;
let account: Account;

beforeEach(async () => {
  world = await SyncWorld.create();
  service = world.service;
  account = await world.account(service);
});
afterEach(() => world.close());

describe('the range that a pull covers', () => {
  it('is confirmed as of its start, however long it takes', async () => {
    await world.data(account.userId, 'mindfulness_minutes', { days: 10, per_day: 10 });
    const begun = world.clock.now();
    await world.sandbox.control.fault({ kind: 'status', status: 503, path: '/v2/timeseries', skip: 1, times: 1 });
    const id = await world.request(service, account.ref, { end: begun + 3_600_000 });
    await service.backfill.runUntilIdle();
    await world.advance(600);
    await service.backfill.runUntilIdle();
    expect(await world.task(id)).toMatchObject({ status: 'done' });
    const rows = await world.store.reader.rows('SELECT confirmed_at, range_end FROM coverage ORDER BY range_end DESC');
    expect(rows[0]).toEqual({ confirmed_at: begun, range_end: begun });
  });

  it('does not move the mark of a stream past an unpulled range', async () => {
    await service.write((tx) => service.streams.connect(tx, account.ref, 'oura'));
    await service.schedule.runUntilIdle();
    await service.backfill.runUntilIdle();
    const marks = async (): Promise<unknown[]> => (await world.streams()).map((stream) => stream.covered_until);
    const before = await marks();
    expect(before).toEqual(before.map(() => start));
    world.clock.set(start + 10 * day);
    const [later, now] = [start + 9 * day, start + 10 * day];
    await world.request(service, account.ref, { provider: 'oura', start: later, end: now });
    await service.backfill.runUntilIdle();
    expect((await world.tasks()).at(-1)).toMatchObject({ status: 'done' });
    expect(await marks()).toEqual(before);
    await world.request(service, account.ref, { provider: 'oura', start, end: later });
    await service.backfill.runUntilIdle();
    expect(await marks()).toContain(later);
  });

  it('does not include history that became known only after its request [webhooks#historical-completion]', async () => {
    const oneByOne = await world.another({ UPSTREAM_MAX_CONCURRENCY: '1' });
    await world.data(account.userId, 'sleep', { days: 10, per_day: 1 });
    await world.request(service, account.ref, { resource: 'sleep', start: start - 25 * day });
    const history = { provider: 'oura', eventResource: 'sleep', start: start - 20 * day, end: start - day, at: start };
    await service.write((tx) => service.history.completed(tx, account.ref, history));
    await world.sandbox.control.fault({ kind: 'status', status: 422, path: '/v2/summary/sleep', skip: 1 });
    await oneByOne.backfill.runUntilIdle();
    expect(await world.tasks()).toMatchObject([
      { origin: 'operator', status: 'done' },
      { origin: 'historical', status: 'failed' },
    ]);
    expect(await service.history.states(account.ref)).toEqual([
      { provider: 'oura', resource: 'sleep', state: 'failed' },
    ]);
  });
});

describe('the state of a historical pull', () => {
  it('is the newest one, even if an older one arrives after it', async () => {
    const unsaid = { days_with_data: null, range_start: null, range_end: null, release: null, trace_id: null };
    const times = { error_details: null, scheduled_at: null, started_at: null, ended_at: null };
    const hear = (status: string, observed_at: number): Promise<void> =>
      service.write((tx) => {
        const word = { provider: 'oura', resource: 'sleep', status, observed_at, ...unsaid, ...times };
        return service.history.record(tx, account.ref, [word]);
      });
    await hear('failure', start);
    await hear('retrying', start - 1);
    expect(await world.pulls()).toMatchObject([{ status: 'failure', observed_at: start }]);
  });
});
