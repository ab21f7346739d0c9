import { type Resource, resourceByName } from '../../../src/health/catalogue/catalogue.js';
import { mapGroups } from '../../../src/health/catalogue/map-records.js';
import type { Records } from '../../../src/health/catalogue/records.js';
import { HealthDataRepository } from '../../../src/health/records/health-data.repository.js';
import { HealthDataService } from '../../../src/health/records/health-data.service.js';
import { SeriesIndex } from '../../../src/health/records/series-index.repository.js';
import type { Tx } from '../../../src/storage/database/tx.js';
import { FakeClock } from '../../support/fake-clock.js';
import { type TestStore, testStore } from '../../support/test-store.js';
import { utcDays } from './support/utc-days.js';

const noon = Date.UTC(2026, 10, 1, 12);

function points(resource: string, unit: string, values: readonly number[]): Records {
  const data = values.map((value, minute) => {
    return { timestamp: new Date(noon + minute * 60_000).toISOString(), value, unit, timezone_offset: 0 };
  });
  return mapGroups(resourceByName(resource) as Resource, [{ source: { provider: 'oura', type: 'ring' }, data }]);
}

/** What there was since the two people were made is gone, and numbers are given out again from the first on. */
async function goBack(tx: Tx): Promise<void> {
  const tables = ['samples', 'sample_groups', 'sample_attributes', 'series', 'observations'];
  if (tx.dialect === 'postgres') return void (await tx.execute(`TRUNCATE ${tables.join(', ')} RESTART IDENTITY`));
  for (const table of tables) await tx.execute(`DELETE FROM ${table}`);
  await tx.execute(`DELETE FROM sqlite_sequence WHERE name IN ('series', 'sample_attributes', 'sample_groups')`);
}

describe('records of a process under which the database goes back in time', () => {
  let store: TestStore;
  let service: HealthDataService;
  let another: HealthDataService;

  beforeEach(async () => {
    store = await testStore();
    service = process();
    another = process();
  });

  afterEach(() => store.close());

  const process = (): HealthDataService =>
    new HealthDataService(new HealthDataRepository(), new SeriesIndex(), new FakeClock(noon), utcDays);

  async function person(name: string): Promise<number> {
    const sql = `INSERT INTO accounts (account_id, status, created_at, updated_at) VALUES (?, 'active', 0, 0) RETURNING id`;
    const [row] = await store.lane.run((tx) => tx.rows<{ id: number }>(sql, [name]));
    return (row as { id: number }).id;
  }

  let ref = 0;
  function look(account: number, kind: 'message' | 'sync', records: Records, by = service) {
    const own = ++ref;
    return store.lane.run((tx) => by.apply(tx, { account, records, provenance: { kind, ref: own, at: own * 1_000 } }));
  }

  const stored = () =>
    store.reader.rows(
      `SELECT accounts.account_id AS person, resource, content, value
       FROM samples JOIN series ON series.id = series_id JOIN accounts ON accounts.id = series.account_id
       JOIN sample_groups ON sample_groups.id = group_id JOIN sample_attributes ON sample_attributes.id = attributes_id
       ORDER BY person, time`,
    );

  it.each(['message', 'sync'] as const)('are stored under their owner, unchanged, by a %s', async (kind) => {
    const [anna, ben] = [await person('anna'), await person('ben')];
    const heart = points('heartrate', 'bpm', [60, 61]);
    const sugar = points('glucose', 'mmol/L', [5]);
    await look(anna, kind, heart);
    await look(ben, kind, sugar);
    await look(anna, kind, heart);
    await look(ben, kind, sugar);
    const before = await stored();
    await store.lane.run(goBack);
    await look(ben, kind, sugar, another);
    await look(anna, kind, points('heartrate', 'bpm', [60]), another);
    await look(anna, kind, heart);
    await look(ben, kind, sugar);
    expect(await stored()).toEqual(before);
    expect(before).toHaveLength(3);
  });
});
