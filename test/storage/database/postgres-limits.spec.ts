// .ci/run runs this on PostgreSQL too: its outcome depends on the database.
import { randomBytes } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { entities } from '../../../src/app/rooms.js';
import { SilenceAwarePool } from '../../../src/storage/database/pool.js';
import { withoutLimits } from '../../../src/storage/database/postgres.js';
import { openWriter } from '../../../src/storage/database/store.js';
import { type TestStore, testStore } from '../../support/test-store.js';

const onPostgres = process.env['TEST_DATABASE_URL'] ? describe : describe.skip;

const away = { code: 'storage_unavailable' };

onPostgres('time limits on PostgreSQL', () => {
  let store: TestStore;

  beforeEach(async () => {
    store = await testStore();
  });

  afterEach(() => store.close());

  it('end a statement that takes too long, in a read and in a job', async () => {
    const sleeping = 'SELECT pg_sleep(60)';
    await Promise.all([
      expect(store.reader.rows(sleeping)).rejects.toMatchObject(away),
      expect(store.lane.run((tx) => tx.rows(sleeping))).rejects.toMatchObject(away),
    ]);
  });

  it('end a wait for a lock, and an idle transaction together with its lock', async () => {
    let locked: () => void = () => undefined;
    const isLocked = new Promise<void>((resolve) => (locked = resolve));
    let goOn: () => void = () => undefined;
    const idle = store.lane.run(async (tx) => {
      await tx.lock('account', 1);
      locked();
      await new Promise<void>((resolve) => (goOn = resolve));
      await tx.execute('DELETE FROM accounts');
    });
    await isLocked;
    const lock = (): Promise<void> => store.lane.run((tx) => tx.lock('account', 1));
    await expect(lock()).rejects.toMatchObject(away);
    await lock();
    goOn();
    await expect(idle).rejects.toMatchObject(away);
  });

  it('do not end a wait for a free connection of the server', async () => {
    const role = `few_${randomBytes(6).toString('hex')}`;
    await store.lane.run((tx) => tx.execute(`CREATE ROLE ${role} LOGIN CONNECTION LIMIT 2 IN ROLE pg_read_all_data`));
    const url = store.config.kind === 'postgres' ? store.config.url.reveal() : '';
    const connectionString = Object.assign(new URL(url), { username: role }).toString();
    const pool = new SilenceAwarePool({ connectionString, max: 8 });
    try {
      await pool.query('SELECT 1');
      const answers = await Promise.all(Array.from({ length: 8 }, () => pool.query('SELECT pg_sleep(0.1)')));
      expect(answers).toHaveLength(8);
      expect(pool.totalCount).toBeLessThanOrEqual(2);
    } finally {
      await pool.end();
      await store.lane.run((tx) => tx.execute(`DROP ROLE ${role}`));
    }
  });

  describe('lifted for a statement without a limit', () => {
    let source: DataSource;

    beforeEach(async () => {
      source = await openWriter(store.config, entities);
    });

    afterEach(() => source.destroy());

    it('are lifted for that connection alone, and restored afterwards', async () => {
      const limit = async (runner: Pick<DataSource, 'query'>): Promise<string> => {
        const [row] = await runner.query<{ statement_timeout: string }[]>('SHOW statement_timeout');
        return String(row?.statement_timeout);
      };
      const during = await withoutLimits(source, async (runner) => {
        await runner.query('SELECT pg_sleep(6)');
        return [await limit({ query: (sql) => runner.query(sql) }), await limit(source)];
      });
      expect([...during, await limit(source)]).toEqual(['0', '4s', '4s']);
    });
  });
});
