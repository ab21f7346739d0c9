import { SourcePollsRepository } from '../../src/accounts/source-polls.repository.js';
import { type SourcePollRow, SourcePolls } from '../../src/accounts/source-polls.service.js';
import { type TestStore, testStore } from '../support/test-store.js';

const checks = new SourcePolls(new SourcePollsRepository());
let store: TestStore;
let accounts: number[];

beforeEach(async () => {
  store = await testStore();
  const sql = `INSERT INTO accounts (account_id, status, created_at, updated_at)
    VALUES ('a', 'active', 0, 0), ('b', 'active', 0, 0), ('c', 'active', 0, 0) RETURNING id`;
  accounts = (await store.lane.run((tx) => tx.rows<{ id: number }>(sql))).map((row) => row.id);
});

afterEach(() => store.close());

const ref = (index = 0): number => accounts[index] ?? 0;
const request = (dueAt: number, index = 0): Promise<void> =>
  store.lane.run((tx) => checks.request(tx, ref(index), dueAt));
const claim = (now: number, owner = 'one', limit = 10): Promise<SourcePollRow[]> =>
  store.lane.run((tx) => checks.claim(tx, { owner, now, leaseUntil: now + 100, limit }));
const complete = (now: number, nextDueAt: number | null): Promise<void> =>
  store.lane.run((tx) => checks.complete(tx, ref(), { now, nextDueAt }));
const row = async (): Promise<SourcePollRow | null> =>
  store.reader.row<SourcePollRow>('SELECT * FROM source_checks WHERE account_id = ?', [ref()]);

describe('a source check', () => {
  it('is due at the earliest time asked for', async () => {
    await request(50);
    await request(70);
    expect(await claim(49)).toEqual([]);
    await request(30);
    expect(await claim(30)).toMatchObject([{ account_id: ref(), lease_owner: 'one', lease_until: 130, attempts: 0 }]);
  });

  it('is claimed by one owner, in order of due times, up to the limit', async () => {
    await request(30, 0);
    await request(10, 1);
    await request(20, 2);
    expect((await claim(40, 'one', 2)).map((check) => check.account_id)).toEqual([ref(1), ref(2)]);
    expect((await claim(40, 'two')).map((check) => check.account_id)).toEqual([ref(0)]);
    expect(await claim(40, 'three')).toEqual([]);
  });

  it('is shared out among owners that claim at the same time', async () => {
    await Promise.all([request(10, 0), request(10, 1), request(10, 2)]);
    const claimed = await Promise.all(['one', 'two', 'three', 'four'].map((owner) => claim(20, owner, 1)));
    const seen = claimed.flat().map((check) => check.account_id);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.length + (await claim(20, 'last')).length).toBe(3);
  });

  it('is due again when the lease of a crashed owner ends', async () => {
    await request(10);
    await claim(20);
    expect(await claim(119, 'two')).toEqual([]);
    expect(await claim(120, 'two')).toMatchObject([{ lease_owner: 'two' }]);
  });

  it('is done until the next time', async () => {
    await request(10);
    await claim(20);
    await complete(30, 500);
    expect(await row()).toEqual({
      account_id: ref(),
      due_at: 500,
      attempts: 0,
      lease_owner: null,
      lease_until: null,
      checked_at: 30,
      error_code: null,
    });
  });

  it('can be done for good, and be asked for again', async () => {
    await request(10);
    await claim(20);
    await complete(30, null);
    expect(await claim(1_000)).toEqual([]);
    await request(1_000);
    expect(await claim(1_000)).toHaveLength(1);
  });

  it.each([500, null])('asked for while it runs stays due afterwards (next at %p)', async (nextDueAt) => {
    await request(10);
    await claim(20);
    await request(25);
    expect(await claim(25, 'two')).toEqual([]);
    await complete(30, nextDueAt);
    expect(await claim(30)).toHaveLength(1);
  });

  it('that failed is tried again at the time given, and counts', async () => {
    await request(10);
    await claim(20);
    await store.lane.run((tx) => checks.defer(tx, ref(), { code: 'upstream_unavailable', dueAt: 60 }));
    expect(await claim(59)).toEqual([]);
    expect(await claim(60)).toMatchObject([{ attempts: 1, error_code: 'upstream_unavailable' }]);
    await complete(61, 500);
    expect(await row()).toMatchObject({ attempts: 0, error_code: null });
  });
});
