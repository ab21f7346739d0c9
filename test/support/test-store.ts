import { randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { DatabaseConfig } from '../../src/config/config.js';
import { Secret } from '../../src/config/secret.js';
import { openStore, openWriter, type Store } from '../../src/database/store.js';
import { entities } from '../../src/entities.js';
import { NetworkGate } from '../../src/platform/network-gate.js';

/** No test cuts the power, so none needs to wait for a disk where the system has a folder in memory. */
const fastFolder = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

export interface TestDatabase {
  readonly config: DatabaseConfig;
  /** Removes the file or the schema. */
  drop(): Promise<void>;
}

/**
 * A migrated database without a row: a file of its own, or a database of its own where TEST_DATABASE_URL names a
 * PostgreSQL. `unmigrated` asks for one that holds nothing at all.
 */
export async function testDatabase(state: 'migrated' | 'unmigrated' = 'migrated'): Promise<TestDatabase> {
  const url = process.env['TEST_DATABASE_URL'];
  const template = state === 'migrated' ? process.env['PULSEKEEP_TEST_TEMPLATE'] : undefined;
  if (url) return postgresDatabase(url, template);
  const folder = mkdtempSync(join(fastFolder, 'pulsekeep-'));
  const path = join(folder, 'pulsekeep.sqlite');
  if (template) copyFileSync(template, path);
  return { config: { kind: 'sqlite', path }, drop: async () => rmSync(folder, { recursive: true, force: true }) };
}

async function postgresDatabase(url: string, template = 'template0'): Promise<TestDatabase> {
  const name = `pulsekeep_test_${randomBytes(6).toString('hex')}`;
  await adminQuery(url, `CREATE DATABASE ${name} TEMPLATE ${template}`);
  const own = new URL(url);
  own.pathname = `/${name}`;
  // No test crashes the server, so none needs to wait for its disk.
  own.searchParams.set('options', '-csynchronous_commit=off');
  return {
    config: { kind: 'postgres', url: new Secret(own.toString()) },
    drop: () => adminQuery(url, `DROP DATABASE ${name} WITH (FORCE)`),
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

/** A store on an empty database; `close` drops it too. */
export async function testStore(): Promise<TestStore> {
  const database = await testDatabase();
  const writer = await openWriter(database.config, entities);
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
