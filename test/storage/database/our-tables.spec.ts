// .ci/run runs this on PostgreSQL too: its outcome depends on the database.
import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { entities, rooms } from '../../../src/app/rooms.js';
import { databaseCheck } from '../../../src/operations/probes/storage-checks.js';
import type { Config } from '../../../src/platform/config/config.js';
import type { DatabaseConfig } from '../../../src/platform/config/database-config.js';
import { Secret } from '../../../src/platform/config/secret.js';
import { NetworkGate } from '../../../src/platform/platform/network-gate.js';
import { SilenceAwarePool } from '../../../src/storage/database/pool.js';
import { openStore, openWriter, type Store } from '../../../src/storage/database/store.js';
import { Declarations } from '../../../src/storage/declarations/declarations.js';
import { examine } from '../../../src/storage/schema/examine.js';
import { migrate } from '../../../src/storage/schema/migrate.js';
import { SchemaService } from '../../../src/storage/schema/schema.service.js';
import { type TestDatabase, testDatabase } from '../../support/test-store.js';
import { until } from '../../support/until.js';

const onPostgres = process.env['TEST_DATABASE_URL'] ? describe : describe.skip;

onPostgres('the tables of this service on PostgreSQL', () => {
  let database: TestDatabase;
  let owner: DataSource;

  beforeEach(async () => {
    database = await testDatabase();
    owner = await openWriter(database.config, entities);
  });

  afterEach(async () => {
    await owner.destroy();
    await database.drop();
  });

  function address(): URL {
    if (database.config.kind !== 'postgres') throw new Error('This is about PostgreSQL.');
    return new URL(database.config.url.reveal());
  }

  function at(search: string): DatabaseConfig {
    return { kind: 'postgres', url: new Secret(Object.assign(address(), { search }).href) };
  }

  async function setPath(path: string): Promise<void> {
    await owner.query(`ALTER DATABASE "${address().pathname.slice(1)}" SET search_path = ${path}`);
  }

  /** The same sentence at a start and in `doctor`; null if neither objects. */
  async function saidOf(config = database.config): Promise<string | null> {
    const { fault } = await examine(config, entities);
    const source = await openWriter(config, entities);
    const refused = await migrate(source, config, 0).then(
      () => null,
      (error: Error) => error.message,
    );
    await source.destroy();
    expect(refused).toBe(fault);
    return fault;
  }

  async function withStore<T>(work: (store: Store) => Promise<T>): Promise<T> {
    const store = await openStore(await openWriter(database.config, entities), database.config, new NetworkGate());
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  }

  describe('and their schema', () => {
    it('are looked for in every schema: an empty one that comes first is refused by name', async () => {
      await owner.query('CREATE SCHEMA early');
      await setPath('early, public');
      expect(await saidOf()).toContain('the schema early comes first and is empty, but public holds tables');
      await setPath('early');
      expect(await saidOf()).toContain('the schema early comes first and is empty, but public holds tables');
      expect(await saidOf(at('?options=-c%20search_path%3Dpublic'))).toBeNull();
    });

    it('begin in another schema if the address names that alone', async () => {
      await owner.query('CREATE SCHEMA early');
      expect(await saidOf(at('?options=-c%20search_path%3Dearly'))).toBeNull();
      const other = 'both hold tables of this service';
      await setPath('early, public');
      expect(await saidOf()).toContain(`the schemas early and public of its search_path ${other}`);
      expect(await saidOf(at('?options=-c%20search_path%3Dpublic'))).toBeNull();
    });

    it('stay the same for all sessions of a store, whatever schemas are created later', async () => {
      await setPath('early, public');
      await withStore(async ({ lane, reader }) => {
        await owner.query('CREATE SCHEMA early');
        await owner.query('CREATE TABLE early.accounts (LIKE public.accounts)');
        const schema = `SELECT relnamespace::regnamespace::text AS name FROM pg_class WHERE oid = 'accounts'::regclass`;
        const answers = await Promise.all([
          ...Array.from({ length: 12 }, () => reader.row<{ name: string }>(schema)),
          ...Array.from({ length: 12 }, () => lane.run(async (tx) => (await tx.few<{ name: string }>(schema))[0])),
        ]);
        expect(new Set(answers.map((answer) => answer?.name))).toEqual(new Set(['public']));
      });
    });
  });

  describe('whose rows may be hidden', () => {
    const digest = 'erasure_tombstones';

    it.each([
      ['a view', `ALTER TABLE ${digest} RENAME TO others; CREATE VIEW ${digest} AS SELECT * FROM others`],
      [
        'partitioned',
        `DROP TABLE ${digest}; CREATE TABLE ${digest} (digest text, account_ref bigint) PARTITION BY LIST (digest)`,
      ],
      ['unlogged', `ALTER TABLE ${digest} SET UNLOGGED`],
      ['changed by a rule', `CREATE RULE forget AS ON INSERT TO ${digest} DO INSTEAD NOTHING`],
      ['inherited', `CREATE TABLE heir () INHERITS (${digest})`],
    ])('are refused: %s', async (why, change) => {
      await owner.query(change);
      expect(await saidOf()).toContain(`can be hidden from its role or lost: ${digest} (${why}).`);
    });

    it('by row security fail each statement at once, and are named at the start', async () => {
      const role = `watched_${randomUUID().slice(0, 8)}`;
      await owner.query(`CREATE ROLE ${role} LOGIN`);
      await owner.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role}`);
      await owner.query(`GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO ${role}`);
      const url = Object.assign(address(), { username: role });
      const config: DatabaseConfig = { kind: 'postgres', url: new Secret(url.href) };
      const store = await openStore(await openWriter(config, entities), config, new NetworkGate());
      const read = (): Promise<unknown> => store.reader.rows(`SELECT * FROM ${digest}`);
      const write = (): Promise<unknown> => store.lane.run((tx) => tx.rows(`SELECT * FROM ${digest}`));
      try {
        expect(await read()).toEqual([]);
        await owner.query(`ALTER TABLE ${digest} ENABLE ROW LEVEL SECURITY`);
        await expect(read()).rejects.toMatchObject({ code: 'storage_unavailable' });
        await expect(write()).rejects.toMatchObject({ code: 'storage_unavailable' });
        expect(store.lane.refusals).toBe(1);
        expect(await saidOf(config)).toContain(`${digest} (under row security)`);
      } finally {
        await store.close();
        await owner.query(`DROP OWNED BY ${role}`);
        await owner.query(`DROP ROLE ${role}`);
      }
    });
  });

  it('are not used by sessions in which foreign keys have no effect', async () => {
    const name = address().pathname.slice(1);
    await owner.query(`ALTER DATABASE "${name}" SET session_replication_role = replica`);
    const settings = { database: database.config, erasure: {}, upstream: {} } as Config;
    expect((await databaseCheck(settings, entities)).finding).toContain(
      'its sessions do not have session_replication_role = origin: ALTER ROLE or ALTER DATABASE ... SET',
    );
  });

  it('are named by `doctor` if their triggers are disabled, as an interrupted pg_restore leaves them', async () => {
    await owner.query('ALTER TABLE message_bodies DISABLE TRIGGER ALL');
    const settings = { database: database.config, erasure: {}, upstream: {} } as Config;
    expect((await databaseCheck(settings, entities)).finding).toContain(
      'message_bodies has disabled triggers: ALTER TABLE message_bodies ENABLE TRIGGER ALL',
    );
  });

  describe('changed under a running process', () => {
    const serviceOf = ({ lane, reader }: Store): SchemaService =>
      new SchemaService(lane, reader, new Declarations(rooms));

    it('are neither read nor written while a view may hide their rows', () =>
      withStore(async (store) => {
        const service = serviceOf(store);
        const find = (): Promise<unknown> => store.reader.rows('SELECT digest FROM erasure_tombstones');
        expect(await service.lookForHiddenRows()).toBeNull();
        await owner.query('ALTER TABLE erasure_tombstones RENAME TO others');
        await owner.query('CREATE VIEW erasure_tombstones AS SELECT * FROM others WHERE false');
        expect(await service.lookForHiddenRows()).toContain('erasure_tombstones (a view)');
        const away = { code: 'storage_unavailable' };
        await expect(find()).rejects.toMatchObject(away);
        await expect(store.lane.run((tx) => tx.rows('SELECT 1 AS one'))).rejects.toMatchObject(away);
        await owner.query('DROP VIEW erasure_tombstones');
        await owner.query('ALTER TABLE others RENAME TO erasure_tombstones');
        expect(await service.lookForHiddenRows()).toBeNull();
        expect(await find()).toEqual([]);
      }));

    it('get numbers beyond the highest after one was given twice', () =>
      withStore(async (store) => {
        const service = serviceOf(store);
        const sql = `INSERT INTO accounts (account_id, status, created_at, updated_at) VALUES (?, 'pending', 0, 0)`;
        for (const name of ['first', 'other']) await store.lane.run((tx) => tx.execute(sql, [name]));
        await owner.query(`SELECT setval('accounts_id_seq', 1, false)`);
        expect(service.takeRepeatedNumber()).toBeNull();
        await expect(store.lane.run((tx) => tx.execute(sql, ['second']))).rejects.toThrow();
        expect([service.takeRepeatedNumber(), service.takeRepeatedNumber()]).toEqual(['accounts', null]);
        expect(await service.setSequencesForward()).toEqual(['accounts_id_seq']);
        expect(await store.lane.run((tx) => tx.execute(sql, ['second']))).toBe(1);
      }));
  });

  describe('whose sequences stand behind', () => {
    const account = (id: number): string =>
      `INSERT INTO accounts (id, account_id, status, created_at, updated_at) VALUES (${id}, 'a${id}', 'pending', 0, 0)`;

    it('are numbered far beyond the highest number, also beyond those of erased people', async () => {
      await owner.query(account(41));
      await owner.query(
        `INSERT INTO erasure_tombstones (digest, erasure_id, account_ref, erased_at, turned_away) VALUES ('d', 'e', 57, 0, 0)`,
      );
      const settings = { database: database.config, erasure: {}, upstream: {} } as Config;
      expect((await databaseCheck(settings, entities)).finding).toContain(
        'sets forward the sequences accounts_id_seq.',
      );
      expect((await migrate(owner, database.config, 0)).setForward).toEqual(['accounts_id_seq']);
      const [next] = await owner.query<{ id: number }[]>(`SELECT nextval('accounts_id_seq') AS id`);
      expect(next?.id).toBe(57 + 1_000_000 + 1);
      expect((await migrate(owner, database.config, 0)).setForward).toEqual([]);
    });

    it('are numbered beyond deleted messages and pulls through which something was observed', async () => {
      await owner.query(`INSERT INTO observations (id, kind, ref) VALUES (1, 'message', 90), (2, 'sync', 70)`);
      const { setForward } = await migrate(owner, database.config, 0);
      expect([...setForward].sort()).toEqual(['messages_seq_seq', 'sync_tasks_id_seq']);
      const [next] = await owner.query<{ seq: number }[]>(`SELECT nextval('messages_seq_seq') AS seq`);
      expect(next?.seq).toBe(90 + 1_000_000 + 1);
    });
  });

  it('are sorted by bytes, so that an update of the operating system does not change their order', async () => {
    const found = await owner.query<{ name: string }[]>(
      `SELECT DISTINCT x.indexrelid::regclass::text AS name FROM pg_index x JOIN pg_class t ON t.oid = x.indrelid
         JOIN pg_collation c ON c.oid = ANY (x.indcollation::oid[]) AND c.collname <> 'C'
       WHERE t.relnamespace = 'public'::regnamespace`,
    );
    expect(found).toEqual([]);
  });

  it('are left by a destroyed session: it is cancelled on the server, and its place in the pool is free again', async () => {
    const pool = new SilenceAwarePool({ connectionString: address().href, max: 1 });
    const count = async (): Promise<number> => {
      const sql = `SELECT COUNT(*) AS count FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(600)' AND datname = current_database()`;
      return (await owner.query<{ count: number }[]>(sql))[0]?.count ?? 0;
    };
    try {
      await expect(pool.query('SELECT pg_sleep(600)')).rejects.toMatchObject({ code: 'ETIMEDOUT' });
      await until(async () => (await count()) === 0);
      expect((await pool.query<{ one: number }>('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    } finally {
      await pool.end();
    }
  });
});
