import type { DataSource } from 'typeorm';
import { Arrivals1763704100000 } from '../../migrations/1763704100000-arrivals.js';
import { openWriter } from '../../src/database/store.js';
import { entities } from '../../src/entities.js';
import { migrate } from '../../src/schema/migrate.js';
import { type TestDatabase, testDatabase } from '../support/test-store.js';

describe('the migration to arrivals', () => {
  let database: TestDatabase;
  let source: DataSource;

  beforeEach(async () => {
    database = await testDatabase('unmigrated');
    source = await openWriter(database.config, entities);
  });

  afterEach(async () => {
    await source.destroy();
    await database.drop();
  });

  const sql = <T>(text: string): Promise<T[]> => source.query(text);
  const number = async (text: string): Promise<number> => Number((await sql<{ n: unknown }>(text))[0]?.n);

  async function migratedWith(messages: number, gone: number): Promise<void> {
    const index = source.migrations.findIndex(({ name }) => name === new Arrivals1763704100000().name);
    const later = source.migrations.splice(index);
    await source.runMigrations();
    for (let message = 1; message <= messages; message++) {
      await sql(`INSERT INTO messages (message_id, received_at, sent_at, status, attempts, size)
        VALUES ('msg_${message}', ${message}, 1, 'done', 1, 2)`);
    }
    await sql(`INSERT INTO message_bodies (seq, body) SELECT seq, CAST('{}' AS ${bytes()}) FROM messages`);
    await sql(`DELETE FROM messages WHERE seq > ${messages - gone}`);
    source.migrations.push(...later);
    await migrate(source, database.config, 0);
  }

  const bytes = (): string => (database.config.kind === 'sqlite' ? 'blob' : 'bytea');
  const arrive = (): Promise<unknown> =>
    sql(`INSERT INTO arrivals (message_id, received_at, sent_at, size) VALUES ('new', 9, 9, 2)`);

  it('keeps messages and bodies, and goes on with their numbers, also of what is gone', async () => {
    await migratedWith(5, 2);
    expect(await number('SELECT COUNT(*) AS n FROM messages JOIN message_bodies USING (seq)')).toBe(3);
    await arrive();
    expect(await number('SELECT seq AS n FROM arrivals')).toBe(6);
  });

  it('begins with one where there was no message', async () => {
    await migratedWith(0, 0);
    await arrive();
    expect(await number('SELECT seq AS n FROM arrivals')).toBe(1);
  });

  it('lets a body be there before its message, and still has its key go with it', async () => {
    await migratedWith(1, 0);
    await sql(`INSERT INTO message_bodies (seq, body) VALUES (77, CAST('{}' AS ${bytes()}))`);
    await sql(`INSERT INTO message_keys (seq, key_id, data_key) VALUES (77, 1, CAST('k' AS ${bytes()}))`);
    await sql('DELETE FROM message_bodies WHERE seq = 77');
    expect(await number('SELECT COUNT(*) AS n FROM message_keys')).toBe(0);
    const orphan = `INSERT INTO message_keys (seq, key_id, data_key) VALUES (78, 1, CAST('k' AS ${bytes()}))`;
    await expect(sql(orphan)).rejects.toThrow();
  });
});
