// .ci/run runs this on PostgreSQL too: its outcome depends on the database.
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { Secret } from '../../../src/platform/config/secret.js';
import { SilenceAwarePool } from '../../../src/storage/database/pool.js';
import { PostgresScrubber } from '../../../src/storage/database/scrubber.js';
import { openWriter } from '../../../src/storage/database/store.js';
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

  it('are kept by a server that ends idle ones', async () => {
    await direct.query(`ALTER DATABASE ${direct.database} SET idle_session_timeout = '1s'`);
    const source = await openWriter({ kind: 'postgres', url: new Secret(url()) }, []);
    expect(await source.query('SHOW idle_session_timeout')).toEqual([{ idle_session_timeout: '0' }]);
    await source.destroy();
  });

  it('of a role that may not vacuum a table do not report it as vacuumed', async () => {
    const role = `guest_${randomBytes(6).toString('hex')}`;
    await direct.query(`CREATE ROLE ${role} LOGIN PASSWORD 'synthetic'`);
    await direct.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role}`);
    const address = Object.assign(new URL(url()), { username: role, password: 'synthetic' });
    const source = await openWriter({ kind: 'postgres', url: new Secret(address.href) }, []);
    try {
      await expect(new PostgresScrubber(source).scrub(['accounts'], false)).rejects.toMatchObject(away);
      await direct.query(`GRANT ${direct.user} TO ${role}`);
      expect(await new PostgresScrubber(source).scrub(['accounts'], false)).toBe('vacuumed');
      const limit = 4 * 8_192;
      const scrub = new PostgresScrubber(source, limit).scrub(['accounts', 'walks'], false);
      expect(await scrub).toBe('left_to_autovacuum');
    } finally {
      await source.destroy();
      await direct.query(`DROP OWNED BY ${role}`);
      await direct.query(`DROP ROLE ${role}`);
    }
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
