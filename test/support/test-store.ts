import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { entities } from '../../src/app/rooms.js';
import type { DatabaseConfig } from '../../src/platform/config/database-config.js';
import { Secret } from '../../src/platform/config/secret.js';
import type { Clock } from '../../src/platform/platform/clock.js';
import { NetworkGate } from '../../src/platform/platform/network-gate.js';
import { openStore, openWriter, type Store } from '../../src/storage/database/store.js';
import './read-here.js';
import { dropDatabase, giveBackDatabase, takeDatabase, urlOf } from './postgres-databases.js';

/** A new folder; in memory if the system has such a place, because no test cuts the power. */
export function fastFolder(prefix: string): string {
  return mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), prefix));
}

export interface TestDatabase {
  readonly config: DatabaseConfig;
  /** Removes the file, or releases the database; its content is lost. */
  drop(): Promise<void>;
}

/**
 * A migrated database without rows: its own file, or its own PostgreSQL database if TEST_DATABASE_URL is set. With
 * `unmigrated`, it has no tables.
 */
export async function testDatabase(state: 'migrated' | 'unmigrated' = 'migrated'): Promise<TestDatabase> {
  const url = process.env['TEST_DATABASE_URL'];
  const template = state === 'migrated' ? process.env['PULSEKEEP_TEST_TEMPLATE'] : undefined;
  if (url) return postgresDatabase(url, template);
  const folder = fastFolder('pulsekeep-');
  const path = join(folder, 'pulsekeep.sqlite');
  if (template) copyFileSync(template, path);
  return { config: { kind: 'sqlite', path }, drop: async () => rmSync(folder, { recursive: true, force: true }) };
}

async function postgresDatabase(server: string, template: string | undefined): Promise<TestDatabase> {
  const name = await takeDatabase(server, template);
  return {
    config: { kind: 'postgres', url: new Secret(urlOf(server, name)) },
    drop: () => (template === undefined ? dropDatabase(server, name) : giveBackDatabase(server, name)),
  };
}

export interface TestStore extends Store {
  readonly gate: NetworkGate;
  readonly config: DatabaseConfig;
}

/** A store on an empty database; `close` drops the database too. */
export async function testStore(clock?: Clock): Promise<TestStore> {
  const database = await testDatabase();
  const writer = await openWriter(database.config, entities);
  const gate = new NetworkGate();
  const store = await openStore(writer, database.config, gate, clock);
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
