// .ci/run runs this on PostgreSQL too: its outcome depends on the database.
import { statSync } from 'node:fs';
import { HealthDataRepository } from '../../../src/health/records/health-data.repository.js';
import { HealthDataService, type ShownRecords } from '../../../src/health/records/health-data.service.js';
import { SeriesIndex } from '../../../src/health/records/series-index.repository.js';
import { SqliteDatabase } from '../../../src/storage/database/sqlite-driver.js';
import { FakeClock } from '../../support/fake-clock.js';
import { type TestStore, testStore } from '../../support/test-store.js';
import { noon, type Point, recordsOf } from './support/siblings.js';
import { utcDays } from './support/utc-days.js';

const describeOnSqlite = process.env['TEST_DATABASE_URL'] ? describe.skip : describe;

// How much PostgreSQL writes is not told by a file of ours.
describeOnSqlite('what is applied again', () => {
  let store: TestStore;
  const service = new HealthDataService(new HealthDataRepository(), new SeriesIndex(), new FakeClock(noon), utcDays);
  const account = 1;

  beforeEach(async () => {
    store = await testStore();
    const sql = `INSERT INTO accounts (id, account_id, status, created_at, updated_at) VALUES (?, 'a', 'active', 0, 0)`;
    await store.lane.run((tx) => tx.execute(sql, [account]));
  });

  afterEach(() => store.close());

  const shownBy = (kind: 'message' | 'sync', points: readonly Point[]): ShownRecords => {
    return { account, records: recordsOf(points), provenance: { kind, ref: 1, page: 0, at: noon } };
  };

  /** Bytes in the log that some work leaves there. */
  async function logged(work: () => Promise<unknown>): Promise<number> {
    const { config } = store;
    if (config.kind !== 'sqlite') throw new Error('SQLite only');
    const file = new SqliteDatabase(config.path);
    file.pragma('wal_checkpoint(TRUNCATE)');
    await work();
    const { size } = statSync(`${config.path}-wal`);
    file.close();
    return size;
  }

  const minutes = (count: number): Point[] =>
    Array.from({ length: count }, (_, minute) => ({ minute, device: '', value: minute % 7 }));

  it.each<[string, ShownRecords]>([
    ['a message', shownBy('message', minutes(19))],
    ['a page', shownBy('sync', minutes(1_000))],
    ['a page with siblings', shownBy('sync', [...minutes(20), { minute: 3, device: 'd', value: 1 }])],
    [
      'a page with gaps',
      shownBy(
        'sync',
        [0, 1, 100, 5_000].map((minute) => ({ minute, device: '', value: 1 })),
      ),
    ],
  ])('writes no page of the file: %s', async (_, arrival) => {
    const apply = () => store.lane.run((tx) => service.applyTogether(tx, [arrival]));
    expect(await logged(apply)).toBeGreaterThan(0);
    const { written } = (await apply())[0] ?? {};
    expect(written).toBe(arrival.records.received);
    expect(await logged(apply)).toBe(0);
  });

  it('writes only changed records', async () => {
    const points = minutes(100);
    await store.lane.run((tx) => service.apply(tx, shownBy('sync', points)));
    const changed = points.map((point) => (point.minute === 50 ? { ...point, value: 99 } : point));
    await store.lane.run((tx) => service.apply(tx, shownBy('sync', changed)));
    const rows = await store.reader.rows<{ value: number }>('SELECT value FROM samples ORDER BY time');
    expect(rows.map(({ value }) => value)).toEqual(changed.map(({ value }) => value));
  });
});
