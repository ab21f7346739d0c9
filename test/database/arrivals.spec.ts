import { Arrivals1763704100000 } from '../../migrations/1763704100000-arrivals.js';
import { BeforeMigration } from '../support/before-migration.js';

describe('the migration to arrivals', () => {
  let before: BeforeMigration;
  let bytes: string;

  beforeEach(async () => {
    before = await BeforeMigration.of(new Arrivals1763704100000());
    bytes = before.database.config.kind === 'sqlite' ? 'blob' : 'bytea';
  });

  afterEach(() => before.close());

  const number = async (text: string): Promise<number> => Number((await before.sql<{ n: unknown }>(text))[0]?.n);
  const arrive = (): Promise<unknown> =>
    before.sql(`INSERT INTO arrivals (message_id, received_at, sent_at, size) VALUES ('new', 9, 9, 2)`);

  async function messages(count: number): Promise<void> {
    for (let message = 1; message <= count; message++) {
      await before.sql(`INSERT INTO messages (message_id, received_at, sent_at, status, attempts, size)
        VALUES ('msg_${message}', ${message}, 1, 'done', 1, 2)`);
    }
    await before.sql(`INSERT INTO message_bodies (seq, body) SELECT seq, CAST('{}' AS ${bytes}) FROM messages`);
  }

  it('keeps messages and bodies, and goes on with their numbers, also of what is gone', async () => {
    await messages(5);
    await before.sql('DELETE FROM messages WHERE seq > 3');
    await before.migrate();
    expect(await number('SELECT COUNT(*) AS n FROM messages JOIN message_bodies USING (seq)')).toBe(3);
    await arrive();
    expect(await number('SELECT seq AS n FROM arrivals')).toBe(6);
  });

  it('begins with one where there was no message', async () => {
    await before.migrate();
    await arrive();
    expect(await number('SELECT seq AS n FROM arrivals')).toBe(1);
  });

  it('lets a body be there before its message, and still has its key go with it', async () => {
    await messages(1);
    await before.migrate();
    await before.sql(`INSERT INTO message_bodies (seq, body) VALUES (77, CAST('{}' AS ${bytes}))`);
    await before.sql(`INSERT INTO message_keys (seq, key_id, data_key) VALUES (77, 1, CAST('k' AS ${bytes}))`);
    await before.sql('DELETE FROM message_bodies WHERE seq = 77');
    expect(await number('SELECT COUNT(*) AS n FROM message_keys')).toBe(0);
    const orphan = `INSERT INTO message_keys (seq, key_id, data_key) VALUES (78, 1, CAST('k' AS ${bytes}))`;
    await expect(before.sql(orphan)).rejects.toThrow();
  });
});
