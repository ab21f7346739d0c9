import { createRequire } from 'node:module';
import type BetterSqlite3 from 'better-sqlite3';
import { LRUCache } from 'lru-cache';
import type { EntityManager } from 'typeorm';
import type { Secret } from '../../platform/config/secret.js';
import { sqliteBulkText, sqliteGivenText, sqliteInsertText } from './bulk.js';
import { preparedLength, type SqlInput, type SqlValue, toSqlValue } from './dialect.js';
import { openBy, type SqliteOpening } from './sqlite-opening.js';
import { MAX_ROWS_A_STATEMENT, MAX_ROWS_GIVEN } from './tuning.js';
import { type BulkShape, type GivenQuery, type NumberedShape, OpenTx, type TxOperations } from './tx.js';

/** better-sqlite3 13 is built for this Node-API version; on an older one it loads and then crashes the process. */
const NODE_API_OF_13 = 10;

/**
 * The driver package for this Node-API version: version 13 if it runs there, else 12.11.1, which is the case on Node
 * 20. From 24.19 on, Node crashes with version 12 (docs/decisions/0012-node-lines-and-the-sqlite-driver.md). An
 * encrypted file needs a build of SQLite that can read it (docs/decisions/0011-encryption-at-rest.md).
 */
export function sqlitePackage(nodeApi: number, isEncrypted = false): string {
  const name = isEncrypted ? 'better-sqlite3-multiple-ciphers' : 'better-sqlite3';
  return nodeApi >= NODE_API_OF_13 ? name : `${name}-node-20`;
}

const nodeApi = Number(process.versions['napi']);
const load = createRequire(import.meta.url);

/** The better-sqlite3 that runs on this Node. The parts we use are the same in 12 and 13. */
export const SqliteDatabase = load(sqlitePackage(nodeApi)) as typeof BetterSqlite3;

/** A database file; `key` if it is encrypted. */
export interface SqliteFile {
  readonly path: string;
  readonly key?: Secret | undefined;
}

export function openingOf({ path, key }: SqliteFile): SqliteOpening {
  return { driver: sqlitePackage(nodeApi, key !== undefined), path, pragmas: key ? keyPragmas(key) : [] };
}

/** The documented format of SQLCipher 4. */
const formatPragmas = [`cipher = 'sqlcipher'`, 'legacy = 4'];

/** The last pragma keeps sorted data out of temporary files, which would not be encrypted. */
function keyPragmas(key: Secret): string[] {
  return [...formatPragmas, `key = "${keyLiteral(key)}"`, 'temp_store = MEMORY'];
}

/** The raw key, so that SQLCipher does not derive one from a password. */
function keyLiteral(key: Secret): string {
  return `x'${key.reveal()}'`;
}

/** Opens a file with its key. Throws {@link EncryptionUnavailable}. A wrong key fails at the first statement. */
export function openSqlite(file: SqliteFile, options: BetterSqlite3.Options = {}): BetterSqlite3.Database {
  if (file.key) encryptingDriver();
  return openBy(openingOf(file), options);
}

/** Opens a file like `openSqlite`, runs `work`, and closes the file. */
export function withSqlite<T>(
  file: SqliteFile,
  options: BetterSqlite3.Options,
  work: (db: BetterSqlite3.Database) => T,
): T {
  const db = openSqlite(file, options);
  try {
    return work(db);
  } finally {
    db.close();
  }
}

/**
 * Moves the write-ahead log into the file and removes it. The file can then be on read-only storage; to open a file
 * with a log, SQLite creates files beside it.
 */
export function intoOneFile(file: SqliteFile, options: BetterSqlite3.Options = {}): void {
  withSqlite(file, options, (db) => db.pragma('journal_mode = DELETE'));
}

/**
 * Opens a file with another one attached as `old`, with any combination of keys. Throws {@link EncryptionUnavailable}.
 */
export function openWithOld({ path, key }: SqliteFile, old: SqliteFile): BetterSqlite3.Database {
  const db = new (encryptingDriver())(path);
  for (const pragma of key ? keyPragmas(key) : formatPragmas) db.pragma(pragma);
  db.prepare('ATTACH ? AS old KEY ?').run(old.path, old.key ? keyLiteral(old.key) : '');
  return db;
}

/**
 * Copies a database, as seen by a connection, to an empty file with the same key. The driver's own copy does not
 * support keys, but runs in steps with progress; an encrypted file is copied by one long statement.
 */
export async function copySqlite(
  db: BetterSqlite3.Database,
  target: SqliteFile,
  progress?: (metadata: BetterSqlite3.BackupMetadata) => number,
): Promise<void> {
  if (target.key) db.prepare('VACUUM INTO ?').run(target.path);
  else await db.backup(target.path, progress && { progress });
}

/** The driver for encrypted files is not installed, or cannot be loaded here. */
export class EncryptionUnavailable extends Error {
  override readonly name = 'EncryptionUnavailable';

  constructor() {
    super(
      'DATABASE_KEY: the driver of encrypted files cannot be loaded; run `npm ci && npm run driver -- --encrypted`.',
    );
  }
}

/** The driver that also reads and writes plain files. Throws {@link EncryptionUnavailable}. */
export function encryptingDriver(): typeof BetterSqlite3 {
  try {
    const Database = load(sqlitePackage(nodeApi, true)) as typeof BetterSqlite3;
    // The first connection loads the native part.
    new Database(':memory:').close();
    return Database;
  } catch {
    throw new EncryptionUnavailable();
  }
}

export type StatementCache = (sql: string) => BetterSqlite3.Statement;

/** Prepared statements of a connection; above `max`, the least recently used are dropped. */
export function statementCache(db: BetterSqlite3.Database, max = 500): StatementCache {
  const prepared = new LRUCache<string, BetterSqlite3.Statement>({ max, memoMethod: (sql) => db.prepare(sql) });
  return (sql) => prepared.memo(sql);
}

/** A transaction on the only writing connection; sqlite-write-lane.ts opens and ends it. */
export class SqliteTx extends OpenTx implements TxOperations {
  readonly dialect = 'sqlite';
  readonly skipLocked = '';
  readonly forShare = '';

  constructor(
    now: number,
    private readonly manager: EntityManager,
    private readonly statements: StatementCache,
  ) {
    super(now);
  }

  get orm(): EntityManager {
    this.assertLive();
    return this.manager;
  }

  async rows<T>(sql: string, parameters: readonly SqlInput[] = []): Promise<T[]> {
    this.assertLive();
    return this.statements(sql).all(parameters.map(toSqlValue)) as T[];
  }

  async execute(sql: string, parameters: readonly SqlInput[] = []): Promise<number> {
    this.assertLive();
    return this.statements(sql).run(parameters.map(toSqlValue)).changes;
  }

  async bulk(shape: BulkShape, values: readonly SqlValue[]): Promise<number> {
    let written = 0;
    for (const slice of this.slices(shape, values)) written += this.statement(shape, slice).run(slice).changes;
    return written;
  }

  async bulkRows<T>(shape: BulkShape, values: readonly SqlValue[]): Promise<T[]> {
    return this.slices(shape, values).flatMap((slice) => this.statement(shape, slice).all(slice) as T[]);
  }

  /** Inserts row by row, which costs less than reading back what one large statement wrote. */
  async insertNumbered(shape: NumberedShape, values: readonly SqlValue[]): Promise<number> {
    this.assertLive();
    const insert = this.statements(sqliteInsertText(shape));
    const width = shape.columns.length;
    const beside = shape.beside.map((other) => ({
      statement: this.statements(sqliteInsertText(other)),
      width: other.columns.length - 1,
    }));
    let inserted = 0;
    for (let at = 0; at < values.length; ) {
      const { changes, lastInsertRowid } = insert.run(values.slice(at, (at += width)));
      inserted += changes;
      for (const other of beside) {
        const own = values.slice(at, (at += other.width));
        if (changes > 0) other.statement.run(lastInsertRowid, ...own);
      }
    }
    return inserted;
  }

  async given<T extends readonly SqlValue[]>(query: GivenQuery, values: readonly SqlValue[]): Promise<T[]> {
    this.assertLive();
    const width = query.columns.length;
    const step = MAX_ROWS_GIVEN * width;
    const parts: T[][] = [];
    for (let from = 0; from < values.length; from += step) {
      const slice = values.slice(from, from + step);
      const rows = preparedLength(slice.length / width);
      while (slice.length < rows * width) slice.push(null);
      parts.push(this.statements(sqliteGivenText(query, rows)).raw().all(slice) as T[]);
    }
    return parts.length === 1 ? (parts[0] as T[]) : parts.flat();
  }

  private slices(shape: BulkShape, values: readonly SqlValue[]): (readonly SqlValue[])[] {
    this.assertLive();
    const step = MAX_ROWS_A_STATEMENT * shape.columns.length;
    if (values.length <= step) return values.length === 0 ? [] : [values];
    return Array.from({ length: Math.ceil(values.length / step) }, (_, part) =>
      values.slice(part * step, (part + 1) * step),
    );
  }

  private statement(shape: BulkShape, slice: readonly SqlValue[]): BetterSqlite3.Statement {
    return this.statements(sqliteBulkText(shape, slice.length / shape.columns.length));
  }

  async lock(): Promise<void> {
    this.assertLive();
  }

  async sharedClock(): Promise<number> {
    return this.now;
  }
}
