// .ci/run runs this on PostgreSQL too: its outcome depends on the database.
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { SilenceAwarePool } from '../../../src/storage/database/pool.js';
import { type TestStore, testStore } from '../../support/test-store.js';

const onPostgres = process.env['TEST_DATABASE_URL'] ? describe : describe.skip;

const away = { code: 'storage_unavailable' };

const endOthers = `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()`;

onPostgres('sessions on PostgreSQL', () => {
  let store: TestStore;
  let direct: pg.Client;

  beforeEach(async () => {
    store = await testStore();
    direct = new pg.Client({ connectionString: url() });
    await direct.connect();
  });

  afterEach(async () => {
    await direct.end();
    await store.close();
  });

  function url(): string {
    return store.config.kind === 'postgres' ? store.config.url.reveal() : '';
  }

  it('that are read-only are closed at the first refused write, and new ones write', async () => {
    const write = (): Promise<number> => store.lane.run((tx) => tx.execute('DELETE FROM accounts'));
    await direct.query(`ALTER DATABASE ${direct.database} SET default_transaction_read_only = on`);
    await direct.query(endOthers);
    const read = (): Promise<unknown> => store.lane.run((tx) => tx.rows('SELECT pg_sleep(0.1)'));
    await Promise.allSettled(Array.from({ length: 10 }, read));
    await Promise.all(Array.from({ length: 10 }, read));
    await direct.query(`ALTER DATABASE ${direct.database} RESET default_transaction_read_only`);
    await expect(write()).rejects.toMatchObject(away);
    for (let count = 0; count < 12; count++) expect(await write()).toBe(0);
  });

  it('that cannot be opened are storage_unavailable, even at the login', async () => {
    const role = `late_${randomBytes(6).toString('hex')}`;
    await direct.query(`CREATE ROLE ${role} NOLOGIN`);
    const pool = new SilenceAwarePool({ connectionString: Object.assign(new URL(url()), { username: role }).href });
    try {
      await expect(pool.connect()).rejects.toMatchObject(away);
    } finally {
      await pool.end();
      await direct.query(`DROP ROLE ${role}`);
    }
  });

  it('that cannot be opened are storage_unavailable, even at the lookup of the name', async () => {
    const pool = new SilenceAwarePool({ host: 'database.invalid' });
    await expect(pool.connect()).rejects.toMatchObject(away);
    await pool.end();
  });
});
