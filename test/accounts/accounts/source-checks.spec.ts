import { type SourcePollRow, SourcePolls } from '../../../src/accounts/accounts/source-polls.repository.js';
import { LEASE_MS } from '../../../src/storage/database/tuning.js';
import { LeaseLost } from '../../../src/storage/work/leased-rows.js';
import { type TestStore, testStore } from '../../support/test-store.js';

let checks: SourcePolls;
let store: TestStore;
let accounts: number[];

beforeEach(async () => {
  store = await testStore();
  checks = new SourcePolls(store.reader);
  const sql = `INSERT INTO accounts (account_id, status, created_at, updated_at)
    VALUES ('a', 'active', 0, 0), ('b', 'active', 0, 0), ('c', 'active', 0, 0) RETURNING id`;
  accounts = (await store.lane.run((tx) => tx.rows<{ id: number }>(sql))).map((row) => row.id);
});

afterEach(() => store.close());

const ref = (index = 0): number => accounts[index] ?? 0;
const request = (dueAt: number, index = 0): Promise<void> =>
  store.lane.run((tx) => checks.request(tx, ref(index), dueAt));
const claim = (now: number, limit = 10): Promise<SourcePollRow[]> =>
  store.lane.run((tx) => checks.claim(tx, now, limit));
async function claimed(now: number): Promise<SourcePollRow> {
  const [poll] = await claim(now, 1);
  if (!poll) throw new Error('nothing is due');
  return poll;
}
const complete = (held: SourcePollRow, now: number, nextDueAt: number | null): Promise<void> =>
  store.lane.run((tx) => checks.complete(tx, held, { now, nextDueAt, code: null }));
const row = async (): Promise<SourcePollRow | null> =>
  store.reader.row<SourcePollRow>('SELECT * FROM source_polls WHERE account_id = ?', [ref()]);

describe('a source check', () => {
  it('is due at the earliest requested time', async () => {
    await request(50);
    await request(70);
    expect(await claim(49)).toEqual([]);
    await request(30);
    expect(await claim(30)).toMatchObject([{ account_id: ref(), lease_until: 30 + LEASE_MS, attempts: 1 }]);
  });

  it('is claimed once, in order of due times, up to the limit', async () => {
    await request(30, 0);
    await request(10, 1);
    await request(20, 2);
    expect((await claim(40, 2)).map((check) => check.account_id)).toEqual([ref(1), ref(2)]);
    expect((await claim(40)).map((check) => check.account_id)).toEqual([ref(0)]);
    expect(await claim(40)).toEqual([]);
  });

  it('is due again when the lease of a crashed process ends', async () => {
    await request(10);
    const dead = await claimed(20);
    expect(await claim(19 + LEASE_MS)).toEqual([]);
    expect(await claim(20 + LEASE_MS)).toMatchObject([{ attempts: 2 }]);
    await expect(complete(dead, 30, 500)).rejects.toThrow(LeaseLost);
  });

  it('is done until the next time', async () => {
    await request(10);
    await complete(await claimed(20), 30, 500);
    expect(await row()).toEqual({
      account_id: ref(),
      due_at: 500,
      attempts: 0,
      waits: 0,
      lease_owner: null,
      lease_until: null,
      checked_at: 30,
      error_code: null,
      user_read_at: null,
    });
  });

  it('can be completed for good, and requested again', async () => {
    await request(10);
    await complete(await claimed(20), 30, null);
    expect(await claim(1_000)).toEqual([]);
    await request(1_000);
    expect(await claim(1_000)).toHaveLength(1);
  });

  it.each([500, null])('requested while it runs stays due afterwards (next at %p)', async (nextDueAt) => {
    await request(10);
    const held = await claimed(20);
    await request(25);
    expect(await claim(25)).toEqual([]);
    await complete(held, 30, nextDueAt);
    expect(await claim(30)).toHaveLength(1);
  });

  it('is due as before after a release', async () => {
    await request(10);
    const before = await row();
    const held = await claimed(20);
    await store.lane.run((tx) => checks.rows.release(tx, held));
    expect(await row()).toEqual(before);
  });
});
