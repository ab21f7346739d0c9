import type BetterSqlite3 from 'better-sqlite3';
import { AbstractLogger, DataSource, type EntityManager, type MixedList } from 'typeorm';
import type { BetterSqlite3DataSourceOptions } from 'typeorm/driver/better-sqlite3/BetterSqlite3DataSourceOptions.js';
import type { BetterSqlite3Driver } from 'typeorm/driver/better-sqlite3/BetterSqlite3Driver.js';
import { migrations } from '../../../migrations/list.js';
import { makePrivateFile } from '../../platform/platform/private-file.js';
import { type ColumnKind, columnTypes, type SqlInput, storeFailure, toSqlValue } from './dialect.js';
import { type FileWriters, type LostFile, SqliteFileWatch } from './file-watch.js';
import { LogCheckpoints, type LogPages } from './log-checkpoints.js';
import { Reader } from './reader.js';
import { ReaderThreads } from './reader-threads.js';
import { openingOf, openSqlite, type SqliteFile, type StatementCache, statementCache } from './sqlite-driver.js';
import { keepFewPages } from './sqlite-opening.js';
import type { SqliteWriteLane } from './sqlite-write-lane.js';
import { MAX_LOG_PAGES } from './tuning.js';

export type EntityClasses = MixedList<new () => object>;

/**
 * Acknowledged means on disk: WAL with a sync at every commit. Deleted means gone: deleted data is overwritten with
 * zeros, and temporary files are not used for sorting. Checkpoints are left to a thread.
 */
function prepareWriter(db: BetterSqlite3.Database): void {
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.pragma('foreign_keys = ON');
  db.pragma('secure_delete = ON');
  db.pragma('temp_store = MEMORY');
  db.pragma(`wal_autocheckpoint = ${MAX_LOG_PAGES}`);
}

export function openSqliteWriter(file: SqliteFile, entities: EntityClasses): Promise<DataSource> {
  makePrivateFile(file.path);
  const options = { migrations, migrationsTransactionMode: 'all', prepareDatabase: prepareWriter } as const;
  return openSource(file, entities, options);
}

export function openSqliteReader(file: SqliteFile, entities: EntityClasses): Promise<DataSource> {
  return openSource(file, entities, { readonly: true, fileMustExist: true, prepareDatabase: keepFewPages });
}

/** TypeORM calls `new` on a driver and uses the returned object. */
function driverOf({ key }: SqliteFile): unknown {
  return function open(path: string, options: BetterSqlite3.Options): BetterSqlite3.Database {
    return openSqlite({ path, key }, options);
  };
}

async function openSource(
  file: SqliteFile,
  entities: EntityClasses,
  options: Partial<BetterSqlite3DataSourceOptions>,
): Promise<DataSource> {
  const source = new DataSource({
    type: 'better-sqlite3',
    driver: driverOf(file),
    database: file.path,
    entities,
    logger: new SilentLogger(),
    ...options,
  });
  speakStrictTypes(source.driver as BetterSqlite3Driver);
  await source.initialize();
  return source;
}

export function sqliteHandle(source: DataSource): BetterSqlite3.Database {
  return (source.driver as BetterSqlite3Driver).databaseConnection as BetterSqlite3.Database;
}

/** TypeORM's manager on the only writing connection; it joins the lane's open transaction. */
export function sqliteLaneManager(source: DataSource): EntityManager {
  return source.createQueryRunner().manager;
}

/** Entities name PostgreSQL's column types; STRICT tables allow only five types of SQLite. */
function speakStrictTypes(driver: BetterSqlite3Driver): void {
  const strict = new Map(
    (Object.keys(columnTypes.postgres) as ColumnKind[]).map((kind) => [
      columnTypes.postgres[kind],
      columnTypes.sqlite[kind],
    ]),
  );
  driver.supportedDataTypes.push(columnTypes.postgres.bytes as 'bytea');
  const normalize = driver.normalizeType.bind(driver);
  driver.normalizeType = (column) => strict.get(String(column.type)) ?? normalize(column);
}

/** Checkpoints for a lane; created with the first commit or request to truncate the log. */
export function checkpointsOf(file: SqliteFile, db: BetterSqlite3.Database, lane: SqliteWriteLane): LogCheckpoints {
  const look = db.prepare('PRAGMA wal_checkpoint(NOOP)');
  return new LogCheckpoints(openingOf(file), {
    pages: () => look.get() as LogPages,
    hold: (work) => lane.hold(work),
    cut: () => cutLog(db),
  });
}

/** The file watch of a lane. If the file is lost, everything that is only in the log is moved into the open file. */
export function watchOf(
  file: SqliteFile,
  db: BetterSqlite3.Database,
  checkpoints: LogCheckpoints,
  onLost: (lost: LostFile) => void,
): SqliteFileWatch {
  const look = db.prepare('PRAGMA wal_checkpoint(NOOP)');
  const writers: FileWriters = {
    get atWork() {
      return checkpoints.atWork;
    },
    count: () => `${checkpoints.ended}:${(look.get() as LogPages).checkpointed}`,
  };
  return new SqliteFileWatch(file.path, writers, (lost) => {
    try {
      if (lost.fault !== 'file_overwritten') cutLog(db);
    } catch {
      // The disk is full or gone too.
    }
    onLost(lost);
  });
}

function cutLog(db: BetterSqlite3.Database): boolean {
  const [answer] = db.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
  return answer?.busy === 0;
}

export class SqliteReader extends Reader {
  readonly dialect = 'sqlite';
  private readonly db: BetterSqlite3.Database;
  private readonly statements: StatementCache;
  private readonly threads: ReaderThreads;

  constructor(file: SqliteFile) {
    super();
    this.db = openSqlite(file, { readonly: true, fileMustExist: true });
    keepFewPages(this.db);
    this.db.pragma('busy_timeout = 0');
    this.statements = statementCache(this.db);
    this.threads = new ReaderThreads(openingOf(file));
  }

  async rows<T>(sql: string, parameters: readonly SqlInput[] = []): Promise<T[]> {
    try {
      return (await this.threads.rows(sql, parameters.map(toSqlValue))) as T[];
    } catch (error) {
      throw storeFailure(error);
    }
  }

  override async few<T>(sql: string, parameters: readonly SqlInput[] = []): Promise<T[]> {
    try {
      return this.statements(sql).all(parameters.map(toSqlValue)) as T[];
    } catch (error) {
      throw storeFailure(error);
    }
  }

  /** Waits for running queries of the threads. */
  async close(): Promise<void> {
    await this.threads.close();
    this.db.close();
  }
}

/** TypeORM's own log lines contain statements with parameters, so none is written. */
export class SilentLogger extends AbstractLogger {
  protected override writeLog(): void {}
}
