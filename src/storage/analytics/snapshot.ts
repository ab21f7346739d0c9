import type BetterSqlite3 from 'better-sqlite3';
import type { QueryRunner } from 'typeorm';
import type { DatabaseConfig } from '../../platform/config/database-config.js';
import { type Dialect, numberPlaceholders, type SqlInput, toSqlValue } from '../database/dialect.js';
import { openPostgres, transactionWithoutLimits } from '../database/postgres.js';
import { Reader } from '../database/reader.js';
import type { EntityClasses } from '../database/sqlite.js';
import { openSqlite } from '../database/sqlite-driver.js';
import { MAX_DATASET_ROWS_A_READ } from '../database/tuning.js';
import type { Row } from '../declarations/views.js';
import { registerMeasures } from './measures.js';

/** One state of the database, from the first read to the last, beside a service that may be running. */
export abstract class Snapshot extends Reader {
  /**
   * A part of a statement for `pages`, with `?` as its placeholders. The SQL of views has question marks of its own.
   */
  abstract part(sql: string): string;

  /** Rows of any number, in pages, with their cells in the order of the SELECT. */
  abstract pages(sql: string, values: readonly SqlInput[]): AsyncGenerator<readonly Row[]>;
}

/** Runs `work` on a snapshot. */
export async function withSnapshot<T>(
  config: DatabaseConfig,
  entities: EntityClasses,
  work: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  if (config.kind === 'sqlite') {
    const db = openSqlite(config, { readonly: true, fileMustExist: true });
    try {
      registerMeasures(db);
      db.exec('BEGIN');
      return await work(new SqliteSnapshot(db));
    } finally {
      db.close();
    }
  }
  const source = await openPostgres({ url: config.url.reveal(), entities, poolSize: 1, readOnly: true });
  try {
    return await transactionWithoutLimits(source, async (runner) => {
      await runner.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
      return work(new PostgresSnapshot(runner));
    });
  } finally {
    await source.destroy();
  }
}

/** A SQLite connection inside a transaction. */
export class SqliteSnapshot extends Snapshot {
  readonly dialect: Dialect = 'sqlite';

  constructor(private readonly db: BetterSqlite3.Database) {
    super();
  }

  async rows<T>(sql: string, parameters: readonly SqlInput[] = []): Promise<T[]> {
    return this.db.prepare(sql).all(...parameters.map(toSqlValue)) as T[];
  }

  part(sql: string): string {
    return sql;
  }

  async *pages(sql: string, values: readonly SqlInput[]): AsyncGenerator<readonly Row[]> {
    let page: Row[] = [];
    const rows = this.db
      .prepare(sql)
      .raw()
      .iterate(...values.map(toSqlValue)) as Iterable<Row>;
    for (const row of rows) {
      page.push(row);
      if (page.length < MAX_DATASET_ROWS_A_READ) continue;
      yield page;
      page = [];
      // Lets a Ctrl-C through.
      await new Promise((resolve) => setImmediate(resolve));
    }
    yield page;
  }
}

class PostgresSnapshot extends Snapshot {
  readonly dialect: Dialect = 'postgres';

  /** Settles with the last query: a session runs one at a time. */
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly runner: QueryRunner) {
    super();
  }

  rows<T>(sql: string, parameters: readonly SqlInput[] = []): Promise<T[]> {
    const run = (): Promise<T[]> => this.runner.query(numberPlaceholders(sql), parameters.map(toSqlValue));
    const rows = this.last.then(run);
    this.last = rows.catch(() => undefined);
    return rows;
  }

  part(sql: string): string {
    return numberPlaceholders(sql);
  }

  async *pages(sql: string, values: readonly SqlInput[]): AsyncGenerator<readonly Row[]> {
    await this.runner.query(`DECLARE dataset NO SCROLL CURSOR FOR ${sql}`, values.map(toSqlValue));
    for (;;) {
      const rows = await this.rows<Record<string, Row[number]>>(`FETCH ${MAX_DATASET_ROWS_A_READ} FROM dataset`);
      yield rows.map((row) => Object.values(row));
      if (rows.length < MAX_DATASET_ROWS_A_READ) break;
    }
    await this.rows('CLOSE dataset');
  }
}
