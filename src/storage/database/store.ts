import type { DataSource } from 'typeorm';
import type { DatabaseConfig, PostgresConfig } from '../../platform/config/database-config.js';
import { type Clock, SystemClock } from '../../platform/platform/clock.js';
import type { NetworkGate } from '../../platform/platform/network-gate.js';
import type { Dialect } from './dialect.js';
import type { LostFile } from './file-watch.js';
import { openPostgres, PostgresReader, schemaOf } from './postgres.js';
import { PostgresWriteLane } from './postgres-write-lane.js';
import type { Reader } from './reader.js';
import { PostgresScrubber, type Scrubber, SqliteScrubber } from './scrubber.js';
import {
  checkpointsOf,
  type EntityClasses,
  openSqliteWriter,
  SqliteReader,
  sqliteHandle,
  sqliteLaneManager,
  watchOf,
} from './sqlite.js';
import type { SqliteFile } from './sqlite-driver.js';
import { SqliteWriteLane } from './sqlite-write-lane.js';
import { Standby } from './standby.js';
import { MAX_POSTGRES_CONNECTIONS } from './tuning.js';
import type { WriteLane } from './write-lane.js';

/** An open database with one way to write and one way to read. */
export interface Store {
  readonly dialect: Dialect;
  readonly lane: WriteLane;
  readonly reader: Reader;
  readonly scrubber: Scrubber;
  /** Resolves if the SQLite file was removed, moved or replaced; the process must then end. */
  readonly lost: Promise<LostFile>;
  /** Waits for pending writes, then closes both sides. */
  close(): Promise<void>;
}

/** Opens the write side of a database that may not be migrated yet. */
export async function openWriter(config: DatabaseConfig, entities: EntityClasses): Promise<DataSource> {
  return config.kind === 'sqlite'
    ? openSqliteWriter(config, entities)
    : openPostgres({ url: config.url.reveal(), entities, poolSize: MAX_POSTGRES_CONNECTIONS, readOnly: false });
}

/**
 * Opens the read side of a migrated database, and makes the gate refuse network calls inside write jobs. `clock` is
 * that of `tx.now`.
 */
export async function openStore(
  writer: DataSource,
  config: DatabaseConfig,
  gate: NetworkGate,
  clock: Clock = new SystemClock(),
): Promise<Store> {
  const store =
    config.kind === 'sqlite' ? sqliteStore(writer, config, clock) : await postgresStore(writer, config, clock);
  gate.closeWhen(() => store.lane.inside());
  return store;
}

function sqliteStore(writer: DataSource, file: SqliteFile, clock: Clock): Store {
  const handle = sqliteHandle(writer);
  handle.pragma('busy_timeout = 0');
  const lane = new SqliteWriteLane(handle, sqliteLaneManager(writer), clock);
  const reader = new SqliteReader(file);
  const checkpoints = checkpointsOf(file, handle, lane);
  lane.onCommit(() => checkpoints.committed());
  let lose: (lost: LostFile) => void = () => undefined;
  const lost = new Promise<LostFile>((resolve) => {
    lose = resolve;
  });
  const watch = watchOf(file, handle, checkpoints, (found) => {
    lane.lostFile = found;
    void checkpoints.close();
    lose(found);
  });
  lane.confirmBy(() => watch.assertThere());
  const scrubber = new SqliteScrubber(handle, { cut: () => checkpoints.cut(), hold: (work) => lane.hold(work) });
  const close = async (): Promise<void> => {
    await lane.idle();
    await checkpoints.close();
    await reader.close();
    await writer.destroy();
    watch.close();
  };
  return { dialect: 'sqlite', lane, reader, scrubber, lost, close };
}

async function postgresStore(writer: DataSource, { url, readUrl }: PostgresConfig, clock: Clock): Promise<Store> {
  const schema = await schemaOf(writer);
  const how = { entities: [], poolSize: MAX_POSTGRES_CONNECTIONS, readOnly: true, schema };
  const source = await openPostgres({ url: url.reveal(), ...how });
  const reader = new PostgresReader(source, MAX_POSTGRES_CONNECTIONS);
  if (readUrl) {
    const primary = <T>(sql: string): Promise<T[]> => reader.catalog<T>(sql);
    reader.replica = new Standby({ url: readUrl, connections: MAX_POSTGRES_CONNECTIONS, primary, schema });
  }
  const lane = new PostgresWriteLane(writer, MAX_POSTGRES_CONNECTIONS, clock, () => reader.unfit);
  const close = async (): Promise<void> => {
    await lane.idle();
    await reader.replica?.close();
    await source.destroy();
    await writer.destroy();
  };
  const sides = { reader, scrubber: new PostgresScrubber(writer) };
  return { dialect: 'postgres', lane, ...sides, lost: new Promise(() => undefined), close };
}
