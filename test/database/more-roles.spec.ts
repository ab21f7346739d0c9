import { MoreRoles1763701710000 } from '../../migrations/1763701710000-more-roles.js';
import { openWriter } from '../../src/database/store.js';
import { entities } from '../../src/entities.js';
import { schemaDrift } from '../../src/schema/migrate.js';
import { testDatabase } from '../support/test-store.js';

describe('the migration to more roles', () => {
  it('lets them into the access log, and keeps its entries and what guards them', async () => {
    const database = await testDatabase('unmigrated');
    const source = await openWriter(database.config, entities);
    const all = [...source.migrations];
    const index = all.findIndex(({ name }) => name === new MoreRoles1763701710000().name);
    source.migrations.splice(index);
    await source.runMigrations();
    const entry = (seq: number, role: string): string =>
      `INSERT INTO access_log (seq, at, actor, role, action, request_id, status, previous_hash, hash)
       VALUES (${seq}, 1, 'somebody', ${role}, 'GET /x', 'r', 200, 'a', 'b')`;
    await source.query(entry(1, `'operator'`));
    await source.query(entry(2, 'NULL'));
    await expect(source.query(entry(3, `'backend'`))).rejects.toThrow();
    source.migrations.push(...all.slice(index));
    await source.runMigrations();
    expect(await schemaDrift(source)).toEqual([]);
    await source.query(entry(3, `'backend'`));
    await source.query(entry(4, `'monitor'`));
    await expect(source.query(entry(5, `'owner'`))).rejects.toThrow();
    const rows = await source.query<{ role: string | null }[]>('SELECT role FROM access_log ORDER BY seq');
    expect(rows.map(({ role }) => role)).toEqual(['operator', null, 'backend', 'monitor']);
    for (const change of [`UPDATE access_log SET actor = 'x'`, 'DELETE FROM access_log']) {
      await expect(source.query(change)).rejects.toThrow('the access log is append-only');
    }
    await source.destroy();
    await database.drop();
  });
});
