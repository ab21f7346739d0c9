// .ci/run runs this on PostgreSQL too: its outcome depends on the database.
import { randomUUID } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { DataSource } from 'typeorm';
import { entities } from '../../../src/app/rooms.js';
import { databaseCheck } from '../../../src/operations/probes/storage-checks.js';
import type { Config } from '../../../src/platform/config/config.js';
import type { DatabaseConfig } from '../../../src/platform/config/database-config.js';
import { Secret } from '../../../src/platform/config/secret.js';
import { openWriter } from '../../../src/storage/database/store.js';
import { compareSchema } from '../../../src/storage/schema/compare-schema.js';
import { ensureIdentity } from '../../../src/storage/schema/database-identity.js';
import { examine } from '../../../src/storage/schema/examine.js';
import { MigrationError, migrate } from '../../../src/storage/schema/migrate.js';
import { testDatabase, testStore } from '../../support/test-store.js';

/** SQLite adds neither such columns nor constraints to a table. */
const onPostgres = process.env['TEST_DATABASE_URL'] ? it : it.skip;

/** The same sentence at a start and in `doctor`. */
async function saidByBoth(source: DataSource, config: DatabaseConfig): Promise<string> {
  const { fault } = await examine(config, entities);
  const refused = await migrate(source, config, 0).then(
    () => null,
    (error: Error) => error.message,
  );
  expect(refused).toBe(fault);
  return fault ?? '';
}

function elsewhere(config: DatabaseConfig, parts: Partial<URL>): DatabaseConfig {
  if (config.kind !== 'postgres') throw new Error('This is about PostgreSQL.');
  const url = Object.assign(new URL(config.url.reveal()), parts);
  return { kind: 'postgres', url: new Secret(url.href) };
}

async function inEncoding<T>(
  encoding: string,
  work: (source: DataSource, config: DatabaseConfig) => Promise<T>,
): Promise<T> {
  const database = await testDatabase('unmigrated');
  const server = await openWriter(database.config, []);
  const name = `encoded_${randomUUID().slice(0, 8)}`;
  await server.query(`CREATE DATABASE ${name} ENCODING '${encoding}' LOCALE 'C' TEMPLATE template0`);
  const config = elsewhere(database.config, { pathname: `/${name}` });
  const source = await openWriter(config, entities);
  try {
    return await work(source, config);
  } finally {
    await source.destroy();
    await server.query(`DROP DATABASE ${name}`);
    await server.destroy();
    await database.drop();
  }
}

const ourColumns = 'id integer PRIMARY KEY, "timestamp" bigint NOT NULL, name varchar NOT NULL';

class Broken9999999999999 {
  name = 'Broken9999999999999';
  up = async (): Promise<void> => Promise.reject(new Error('planned'));
  down = async (): Promise<void> => undefined;
}

describe('schema', () => {
  it('matches the entities once the migrations have run', async () => {
    const database = await testDatabase('unmigrated');
    const source = await openWriter(database.config, entities);
    await migrate(source, database.config, 0);
    expect(await compareSchema(source)).toEqual({ differences: [], foreign: [] });
    await source.destroy();
    await database.drop();
  });

  it('refuses a database that is newer than the program', async () => {
    const database = await testDatabase('unmigrated');
    const source = await openWriter(database.config, entities);
    await migrate(source, database.config, 0);
    await source.query(`INSERT INTO migrations ("timestamp", name) VALUES (9999999999999, 'FromTheFuture')`);
    await expect(migrate(source, database.config, 0)).rejects.toThrow('newer than this program: FromTheFuture');
    await source.destroy();
    await database.drop();
  });

  it.each([
    ['whose entries are not ours', ourColumns, `INSERT INTO migrations (id, "timestamp", name) VALUES (1, 1, 'Init1')`],
    ['that is empty beside another table', ourColumns, 'CREATE TABLE users (id integer PRIMARY KEY)'],
    ['with other columns', 'id integer PRIMARY KEY, migration varchar NOT NULL, batch integer', 'SELECT 1'],
  ])('does not change a table of migrations %s', async (_case, columns, more) => {
    const database = await testDatabase('unmigrated');
    const source = await openWriter(database.config, entities);
    await source.query(`CREATE TABLE migrations (${columns})`);
    await source.query(more);
    const said =
      'its table `migrations` belongs to another program: give this service a database or a schema of its own.';
    expect(await saidByBoth(source, database.config)).toContain(said);
    await source.destroy();
    await database.drop();
  });

  it.each(['CREATE TABLE accounts (id integer PRIMARY KEY)', 'CREATE VIEW accounts AS SELECT 1 AS id'])(
    'changes nothing of another program, and creates nothing next to it: %s',
    async (made) => {
      const database = await testDatabase('unmigrated');
      const source = await openWriter(database.config, entities);
      await source.query(made);
      expect(await saidByBoth(source, database.config)).toBe(
        'DATABASE_URL: accounts in it belong to another program: give this service a database or a schema of its own.',
      );
      expect(await source.createQueryRunner().hasTable('migrations')).toBe(false);
      await source.destroy();
      await database.drop();
    },
  );

  onPostgres(
    'names the rights that its role lacks: to create tables, to read and write them, and to number rows',
    async () => {
      const database = await testDatabase('unmigrated');
      const owner = await openWriter(database.config, entities);
      const role = `keeper_${randomUUID().slice(0, 8)}`;
      await owner.query(`CREATE ROLE ${role} LOGIN PASSWORD 'synthetic'`);
      // PostgreSQL 14 lets everybody create tables there.
      await owner.query('REVOKE CREATE ON SCHEMA public FROM PUBLIC');
      const config = elsewhere(database.config, { username: role, password: 'synthetic' });
      const source = await openWriter(config, entities);
      expect(await saidByBoth(source, config)).toBe(
        'DATABASE_URL: its role may not create tables: GRANT CREATE ON SCHEMA public TO the role, or set its search_path to a schema of its own.',
      );
      await migrate(owner, database.config, 0);
      await owner.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role}`);
      expect(await saidByBoth(source, config)).toMatch(
        /^DATABASE_URL: its role may not use .*, messages_seq_seq, .*: GRANT USAGE ON these sequences TO the role\.$/,
      );
      await owner.query(`GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO ${role}`);
      expect(await examine(config, entities)).toMatchObject({ fault: null, pending: [] });
      const settings = { database: config, erasure: {}, upstream: {} } as Config;
      // The entities' tables and `migrations`.
      const said = `Its role may not vacuum ${source.entityMetadatas.length + 1} tables, so erasures wait`;
      expect((await databaseCheck(settings, entities)).finding).toContain(said);
      await owner.query(`REVOKE DELETE ON accounts FROM ${role}`);
      expect(await saidByBoth(source, config)).toContain('its role may not read and write accounts: GRANT SELECT');
      await source.destroy();
      await owner.query(`DROP OWNED BY ${role}`);
      await owner.query(`DROP ROLE ${role}`);
      await owner.destroy();
      await database.drop();
    },
  );

  onPostgres('reports read-only sessions, and a search_path without an existing schema', async () => {
    const database = await testDatabase('unmigrated');
    const owner = await openWriter(database.config, entities);
    const [{ name } = { name: '' }] = await owner.query<{ name: string }[]>('SELECT current_database() AS name');
    const saidWith = async (setting: string): Promise<string | null> => {
      await owner.query(`ALTER DATABASE "${name}" SET ${setting}`);
      const source = await openWriter(database.config, entities);
      const said = await saidByBoth(source, database.config);
      await source.destroy();
      await owner.query(`ALTER DATABASE "${name}" RESET ALL`);
      return said;
    };
    expect(await saidWith('default_transaction_read_only = on')).toBe(
      'DATABASE_URL: its sessions only read: ALTER ROLE or ALTER DATABASE ... SET default_transaction_read_only = off.',
    );
    expect(await saidWith('search_path = nowhere')).toContain(
      'CREATE SCHEMA, or set its search_path to a schema of its own.',
    );
    await owner.destroy();
    await database.drop();
  });

  onPostgres('refuses an encoding that cannot represent every text, before anything is created', async () => {
    const said = await inEncoding('LATIN1', saidByBoth);
    expect(said).toContain('the database has the encoding LATIN1, which cannot hold every text: CREATE DATABASE');
  });

  onPostgres('keeps every text in SQL_ASCII, which does not convert', async () => {
    const text = 'ü 漢字 😀';
    const kept = await inEncoding('SQL_ASCII', async (source, config) => {
      await migrate(source, config, 0);
      await source.query('INSERT INTO database_identity (id, region, environment, stamped_at) VALUES (1, $1, $1, 0)', [
        text,
      ]);
      return (await examine(config, entities)).identity?.region;
    });
    expect(kept).toBe(text);
  });

  it('refuses to serve a schema that was changed by hand', async () => {
    const database = await testDatabase('unmigrated');
    const source = await openWriter(database.config, entities);
    await migrate(source, database.config, 0);
    await source.query('DROP INDEX pull_streams_due');
    await source.query('ALTER TABLE accounts RENAME COLUMN log_ref TO log_reference');
    await expect(migrate(source, database.config, 0)).rejects.toThrow(
      /Missing or changed: (?!.*statement)(?=.*table accounts)(?=.*index pull_streams_due)/,
    );
    await source.destroy();
    await database.drop();
  });

  it('reports additions to its tables, and still serves', async () => {
    const database = await testDatabase('unmigrated');
    const source = await openWriter(database.config, entities);
    await migrate(source, database.config, 0);
    await source.query('CREATE INDEX own_messages ON messages (received_at, status)');
    await source.query('ALTER TABLE accounts ADD COLUMN own_note text');
    await source.query('CREATE VIEW own_view AS SELECT id FROM accounts');
    await source.query('CREATE TABLE own_table (id integer)');
    const { foreign } = await migrate(source, database.config, 0);
    expect([...foreign].sort()).toEqual(['column accounts.own_note', 'index own_messages']);
    await source.destroy();
    expect(await examine(database.config, entities)).toMatchObject({ differences: [], foreign });
    await database.drop();
  });

  onPostgres('refuses a foreign column that prevents inserts, and names foreign constraints', async () => {
    const database = await testDatabase('unmigrated');
    const source = await openWriter(database.config, entities);
    await migrate(source, database.config, 0);
    await source.query('ALTER TABLE accounts ADD CONSTRAINT own_check CHECK (id > 0)');
    expect(await migrate(source, database.config, 0)).toMatchObject({ foreign: ['constraint accounts.own_check'] });
    await source.query('ALTER TABLE accounts ADD COLUMN own_note text NOT NULL');
    await expect(migrate(source, database.config, 0)).rejects.toThrow(
      'column accounts.own_note (NOT NULL without a default)',
    );
    await source.destroy();
    await database.drop();
  });

  it('copies a SQLite file with its permissions, and names the copy if the migration fails', async () => {
    const database = await testDatabase('unmigrated');
    if (database.config.kind !== 'sqlite') return database.drop();
    const source = await openWriter(database.config, entities);
    await migrate(source, database.config, 0);
    source.migrations.push(new Broken9999999999999());
    const failure = await migrate(source, database.config, 1_700_000_000_000).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(MigrationError);
    expect((failure as MigrationError).cause).toMatchObject({ message: 'planned' });
    const copy = (failure as MigrationError).copy;
    expect(copy).toContain('before-migration-20231114T221320000Z');
    const files = readdirSync(dirname(database.config.path));
    expect(files).toContain(basename(String(copy)));
    const modes = files.map((name) => statSync(join(dirname(String(copy)), name)).mode & 0o777);
    expect(new Set(modes)).toEqual(new Set([0o600]));
    await source.destroy();
    await database.drop();
  });

  it('refuses a database of another region or environment, before it migrates', async () => {
    const store = await testStore();
    await ensureIdentity(store.lane, store.reader, { region: 'us', environment: 'sandbox' }, 1);
    await ensureIdentity(store.lane, store.reader, { region: 'us', environment: 'sandbox' }, 2);
    await expect(ensureIdentity(store.lane, store.reader, { region: 'eu', environment: 'sandbox' }, 3)).rejects.toThrow(
      'belongs to us/sandbox',
    );
    const writer = await openWriter(store.config, entities);
    writer.migrations.push(new Broken9999999999999());
    const stamp = { region: 'eu', environment: 'sandbox' };
    await expect(migrate(writer, store.config, 0, { stamp })).rejects.toThrow('it belongs to us/sandbox');
    await writer.destroy();
    await store.close();
  });
});
