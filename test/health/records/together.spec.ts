// .ci/run runs this on PostgreSQL too: its outcome depends on the database.
import fc from 'fast-check';
import { type Resource, resourceByName } from '../../../src/health/catalogue/catalogue.js';
import { mapSummaries } from '../../../src/health/catalogue/map-records.js';
import { HealthDataRepository } from '../../../src/health/records/health-data.repository.js';
import { type Applied, HealthDataService, type ShownRecords } from '../../../src/health/records/health-data.service.js';
import { SeriesIndex } from '../../../src/health/records/series-index.repository.js';
import { FakeClock } from '../../support/fake-clock.js';
import { type TestStore, testStore } from '../../support/test-store.js';
import { iso, noon, type Point, recordsOf } from './support/siblings.js';
import { utcDays } from './support/utc-days.js';

const sleep = resourceByName('sleep') as Resource;

describe('a batch', () => {
  let alone: TestStore;
  let together: TestStore;
  const service = new HealthDataService(new HealthDataRepository(), new SeriesIndex(), new FakeClock(noon), utcDays);

  beforeAll(async () => {
    alone = await testStore();
    together = await testStore();
  });

  afterAll(async () => {
    await alone.close();
    await together.close();
  });

  let runs = 0;

  async function newAccounts(store: TestStore): Promise<number[]> {
    const sql = `INSERT INTO accounts (account_id, status, created_at, updated_at) VALUES (?, 'active', 0, 0) RETURNING id`;
    const made: number[] = [];
    for (const name of ['a', 'b']) {
      const [row] = await store.lane.run((tx) => tx.rows<{ id: number }>(sql, [`${name}${runs}`]));
      made.push(row?.id ?? 0);
    }
    return made;
  }

  async function stored(store: TestStore, accounts: readonly number[]): Promise<unknown> {
    const samples = await store.reader.rows(
      `SELECT s.account_id, s.sub_series, p.time, p.sibling, p.value, a.device_id, g.observation_id FROM samples p
       JOIN series s ON s.id = p.series_id JOIN sample_groups g ON g.id = p.group_id
       JOIN sample_attributes a ON a.id = g.attributes_id
       WHERE s.account_id IN (?, ?) ORDER BY s.account_id, p.time, p.sibling`,
      accounts,
    );
    const summaries = await store.reader.rows(
      `SELECT account_id, summary_id, version, raw, observation_id FROM summaries WHERE account_id IN (?, ?)
       ORDER BY account_id, summary_id`,
      accounts,
    );
    return { samples, summaries };
  }

  const point = fc.record({
    minute: fc.constantFrom(0, 1, 2, 20),
    device: fc.constantFrom('', 'a', 'b'),
    value: fc.integer({ min: 1, max: 2 }),
  });
  const points = fc.uniqueArray(point, { selector: (one: Point) => `${one.minute} ${one.device}`, maxLength: 4 });
  const nights = fc.uniqueArray(
    fc.record({
      id: fc.constantFrom('s1', 's2'),
      version: fc.integer({ min: 1, max: 3 }),
      score: fc.integer({ min: 1, max: 2 }),
    }),
    { selector: ({ id }) => id, minLength: 1 },
  );
  const look = fc.record({
    owner: fc.constantFrom(0, 1),
    kind: fc.constantFrom('message' as const, 'sync' as const),
    at: fc.integer({ min: 1, max: 6 }),
    shows: fc.oneof(points, nights),
    endsGroup: fc.boolean(),
  });

  const recordsIn = (shows: readonly object[]) => {
    if (!shows.some((one) => 'id' in one)) return recordsOf(shows as Point[]);
    const objects = (shows as { id: string; version: number; score: number }[]).map(({ id, version, score }) => {
      const times = { bedtime_start: iso(0), bedtime_stop: iso(1), updated_at: iso(version) };
      return { id, ...times, score, source: { provider: 'oura', type: 'ring' } };
    });
    return mapSummaries(sleep, objects);
  };

  it('has the same result as one after the other', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(look, { minLength: 1, maxLength: 10 }), async (looks) => {
        runs += 1;
        const accounts = await newAccounts(alone);
        expect(await newAccounts(together)).toEqual(accounts);
        const shown = looks.map(({ owner, kind, at, shows }, index): ShownRecords => {
          const provenance = { kind, ref: runs * 100 + index, page: 0, at: runs * 10 + at };
          return { account: accounts[owner] as number, records: recordsIn(shows), provenance };
        });
        const one: Applied[] = [];
        for (const each of shown) one.push(await alone.lane.run((tx) => service.apply(tx, each)));
        const all: Applied[] = [];
        let group: ShownRecords[] = [];
        for (const [index, { endsGroup }] of looks.entries()) {
          group.push(shown[index] as ShownRecords);
          if (!endsGroup && index < looks.length - 1) continue;
          all.push(...(await together.lane.run((tx) => service.applyTogether(tx, group))));
          group = [];
        }
        expect(all).toEqual(one);
        expect(await stored(together, accounts)).toEqual(await stored(alone, accounts));
      }),
      { numRuns: 80 },
    );
  });

  it('stores an observation once that it contains twice', async () => {
    runs += 1;
    await newAccounts(alone);
    const [account] = await newAccounts(together);
    const provenance = { kind: 'message' as const, ref: 1, at: 1_000 };
    const shows = (minutes: readonly number[]): ShownRecords => {
      const records = recordsOf(minutes.map((minute) => ({ minute, device: 'd', value: 60 })));
      return { account: account as number, records, provenance };
    };
    const shown = [shows([1]), shows([1, 2])];
    const applied = await together.lane.run((tx) => service.applyTogether(tx, shown));
    expect(applied.map(({ written }) => written)).toEqual([1, 2]);
    const sql = `SELECT p.time FROM samples p JOIN series s ON s.id = p.series_id WHERE s.account_id = ?`;
    expect(await together.reader.rows(sql, [account as number])).toHaveLength(2);
  });

  it('may be empty', async () => {
    expect(await together.lane.run((tx) => service.applyTogether(tx, []))).toEqual([]);
  });
});
