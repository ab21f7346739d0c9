import { HealthDataService } from '../../../src/health/records/health-data.service.js';
import { PageFetcher } from '../../../src/ingest/pulls/page-fetcher.js';
import { type Account, type SyncService, SyncWorld } from './support/sync-world.js';

/** Larger than one write job. */
const pageSize = 1_050;

let world: SyncWorld;
let service: SyncService;
let account: Account;

beforeEach(async () => {
  world = await SyncWorld.create();
  service = world.service;
  await world.sandbox.control.configure({ page_size: pageSize });
  account = await world.account(service);
  await world.data(account.userId, 'mindfulness_minutes', { days: 50, per_day: 42 });
});
afterEach(() => world.close());

const rename = (from: string, to: string): Promise<number> =>
  service.write((tx) => tx.execute(`ALTER TABLE ${from} RENAME TO ${to}`));

describe('a page stored in several jobs', () => {
  it('never occupies the write lane for more than a slice', async () => {
    const id = await world.request(service, account.ref);
    const applied: number[] = [];
    const healthData = service.app.get(HealthDataService);
    const apply = healthData.apply.bind(healthData);
    healthData.apply = (tx, arrival) => {
      applied.push(arrival.records.samples.reduce((sum, { samples }) => sum + samples.length, 0));
      return apply(tx, arrival);
    };
    await service.backfill.runUntilIdle();
    expect(await world.task(id)).toMatchObject({ status: 'done', pages: 2 });
    expect(applied).toEqual([1_000, 50, 1_000, 50]);
  });

  it('is read again if one of them fails, because the cursor stays before it', async () => {
    const id = await world.request(service, account.ref);
    await rename('samples', 'samples_gone');
    await service.backfill.runUntilIdle();
    expect(await world.task(id)).toMatchObject({ status: 'pending', pages: 0, next_cursor: null });
    await rename('samples_gone', 'samples');
    await world.advance(61);
    await service.backfill.runUntilIdle();
    expect(await world.task(id)).toMatchObject({ status: 'done', pages: 2, records: 2 * pageSize });
    const { stored, upstream } = await world.samples(account, 'mindfulness_minutes');
    expect(stored).toEqual(upstream);
    expect(stored).toHaveLength(2 * pageSize);
  });

  it('leaves nothing of a page whose task has another holder', async () => {
    const id = await world.request(service, account.ref);
    const fetcher = service.app.get(PageFetcher);
    const fetch = fetcher.fetch.bind(fetcher);
    fetcher.fetch = async (...asked) => {
      const page = await fetch(...asked);
      await service.write((tx) => tx.execute(`UPDATE sync_tasks SET lease_owner = 'another' WHERE id = ?`, [id]));
      return page;
    };
    await service.backfill.runUntilIdle();
    expect((await world.samples(account, 'mindfulness_minutes')).stored).toEqual([]);
  });
});
