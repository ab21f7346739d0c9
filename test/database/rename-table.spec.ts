import { PlainNamesOfPulls1763701600000 } from '../../migrations/1763701600000-plain-names-of-pulls.js';
import { openWriter } from '../../src/database/store.js';
import { entities } from '../../src/entities.js';
import { schemaDrift } from '../../src/schema/migrate.js';
import { testDatabase } from '../support/test-store.js';

describe('the renaming of the tables of pulls', () => {
  it('keeps their rows and never gives an id out twice', async () => {
    const database = await testDatabase('unmigrated');
    const source = await openWriter(database.config, entities);
    const all = [...source.migrations];
    const index = all.findIndex(({ name }) => name === new PlainNamesOfPulls1763701600000().name);
    source.migrations.splice(index);
    await source.runMigrations();
    const account = `INSERT INTO accounts (id, account_id, status, created_at, updated_at) VALUES (1, 'a', 'active', 1, 1)`;
    await source.query(account);
    await source.query('INSERT INTO source_checks (account_id, due_at, attempts) VALUES (1, 7, 3)');
    await source.query(`INSERT INTO sync_streams (account_id, provider, resource, status, covered_until, created_at)
      VALUES (1, 'oura', 'sleep', 'active', 5, 1)`);
    const columns = 'account_id, workout_id, facts, message_seq, received_at, requests, status, attempts';
    const fetch = (table: string, workout: string): string =>
      `INSERT INTO ${table} (${columns}) VALUES (1, '${workout}', '{}', 1, 1, 1, 'done', 0)`;
    await source.query(fetch('workout_stream_fetches', 'kept'));
    await source.query(fetch('workout_stream_fetches', 'gone'));
    await source.query(`DELETE FROM workout_stream_fetches WHERE workout_id = 'gone'`);
    source.migrations.push(...all.slice(index));
    await source.runMigrations();
    expect(await schemaDrift(source)).toEqual([]);
    const plain = (rows: Record<string, unknown>[]): unknown[] =>
      rows.map((row) => Object.fromEntries(Object.entries(row).map(([key, value]) => [key, Number(value)])));
    expect(plain(await source.query('SELECT account_id, due_at, attempts FROM source_polls'))).toEqual([
      { account_id: 1, due_at: 7, attempts: 3 },
    ]);
    expect(plain(await source.query('SELECT covered_until FROM pull_streams'))).toEqual([{ covered_until: 5 }]);
    await source.query(fetch('workout_series_fetches', 'new'));
    expect(plain(await source.query('SELECT id FROM workout_series_fetches ORDER BY id'))).toEqual([
      { id: 1 },
      { id: 3 },
    ]);
    await source.destroy();
    await database.drop();
  });
});
