import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { DatabaseConfig } from '../../src/config/config.js';
import { Secret } from '../../src/config/secret.js';
import { migrate } from '../../src/database/migrate.js';
import { openStore, openWriter, type Store } from '../../src/database/store.js';
import { entities } from '../../src/entities.js';
import { NetworkGate } from '../../src/platform/network-gate.js';

export interface TestDatabase {
  readonly config: DatabaseConfig;
  /** Removes the file or the schema. */
  drop(): Promise<void>;
}

/** An empty database: a file of its own, or a schema of its own where TEST_DATABASE_URL names a PostgreSQL. */
export async function testDatabase(): Promise<TestDatabase> {
  const url = process.env['TEST_DATABASE_URL'];
  if (url) return postgresSchema(url);
  const folder = mkdtempSync(join(tmpdir(), 'pulsekeep-'));
  return {
    config: { kind: 'sqlite', path: join(folder, 'pulsekeep.sqlite') },
    drop: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function postgresSchema(url: string): Promise<TestDatabase> {
  const schema = `test_${randomBytes(6).toString('hex')}`;
  await adminQuery(url, `CREATE SCHEMA ${schema}`);
  const own = new URL(url);
  own.searchParams.set('options', `-csearch_path=${schema}`);
  return {
    config: { kind: 'postgres', url: new Secret(own.toString()) },
    drop: () => adminQuery(url, `DROP SCHEMA ${schema} CASCADE`),
  };
}

async function adminQuery(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql);
  await client.end();
}

export interface TestStore extends Store {
  readonly gate: NetworkGate;
  readonly config: DatabaseConfig;
}

/** A migrated store on an empty database; `close` drops it too. */
export async function testStore(): Promise<TestStore> {
  const database = await testDatabase();
  const writer = await openWriter(database.config, entities);
  await migrate(writer, database.config, 0);
  const gate = new NetworkGate();
  const store = await openStore(writer, database.config, entities, gate);
  return {
    ...store,
    gate,
    config: database.config,
    close: async () => {
      await store.close();
      await database.drop();
    },
  };
}
