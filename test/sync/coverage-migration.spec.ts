import { SettledCoverage1763700400000 } from '../../migrations/1763700400000-settled-coverage.js';
import { openWriter } from '../../src/database/store.js';
import { entities } from '../../src/entities.js';
import { migrate } from '../../src/schema/migrate.js';
import { testDatabase } from '../support/test-store.js';

const hour = 3_600_000;
const now = Date.parse('2026-11-20T12:00:00Z');

describe('coverage stored before it knew what is settled', () => {
  it('is split by the usual look-back, and none of it is lost', async () => {
    const database = await testDatabase('unmigrated');
    const source = await openWriter(database.config, entities);
    await migrate(source, database.config, 0);
    await source.query('DROP TABLE coverage');
    await source.query('DROP INDEX sync_tasks_not_done');
    await source.query(`CREATE TABLE coverage (account_id bigint NOT NULL, provider text NOT NULL, resource text NOT NULL,
      range_start bigint NOT NULL, range_end bigint NOT NULL, confirmed_at bigint NOT NULL)`);
    await source.query(
      `INSERT INTO accounts (id, account_id, status, created_at, updated_at) VALUES (1, 'a', 'active', 1, 1)`,
    );
    const rows: [resource: string, start: number, end: number][] = [
      ['both', now - 90 * hour, now + hour],
      ['fresh', now - 10 * hour, now],
      ['settled', now - 90 * hour, now - 60 * hour],
    ];
    for (const [resource, start, end] of rows) {
      await source.query(`INSERT INTO coverage VALUES (1, 'oura', '${resource}', ${start}, ${end}, ${now})`);
    }
    const runner = source.createQueryRunner();
    await new SettledCoverage1763700400000().up(runner);
    await runner.release();
    const found: Record<string, unknown>[] = await source.query(
      'SELECT resource, state, range_start, range_end FROM coverage ORDER BY resource, range_start',
    );
    const border = now - 48 * hour;
    expect(
      found.map((row) => [row['resource'], row['state'], Number(row['range_start']), Number(row['range_end'])]),
    ).toEqual([
      ['both', 'settled', now - 90 * hour, border],
      ['both', 'fresh', border, now + hour],
      ['fresh', 'fresh', now - 10 * hour, now],
      ['settled', 'settled', now - 90 * hour, now - 60 * hour],
    ]);
    await source.destroy();
    await database.drop();
  });
});
