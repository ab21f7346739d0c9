import type { DataSource } from 'typeorm';
import type { DatabaseConfig } from '../../platform/config/database-config.js';
import { newId } from '../../platform/platform/ids.js';
import { shapeOf } from '../database/columns.js';
import type { SqlValue } from '../database/dialect.js';
import { continueAfter, lastNumber } from '../database/numbering.js';
import { transactionWithoutLimits } from '../database/postgres.js';
import { saveRows } from '../database/rows.js';
import type { Store } from '../database/store.js';
import type { BulkShape, Tx } from '../database/tx.js';
import { type CopySide, DatabaseCopyTableEntity } from '../schema/database-copy.entity.js';
import { copyMark } from '../schema/database-copy.js';
import { selectIdentity } from '../schema/database-identity.js';
import { walkNames } from '../work/walk.entity.js';
import { type CopiedTable, copiedTables } from './copied-tables.js';
import { keyOf, pagesOf, type Row } from './pages.js';
import { RowDigest } from './row-digest.js';

/*
 * Both databases are marked (schema/database-copy.ts) -> each table is copied page by page; a page and the key of its
 * last row share a transaction -> the target is read back and compared -> the source is marked as copied -> the
 * target's marks are removed. Whenever it is killed, neither database is served, and the next run resumes after the
 * last page.
 */

/** A database cannot be copied. Its sentences contain no stored values. */
export class CopyError extends Error {
  override readonly name = 'CopyError';
}

export interface CopyProgress {
  readonly phase: 'copy' | 'compare';
  readonly table: string;
  /** Rows of all tables copied or compared so far. */
  readonly rows: number;
  /** Rows of the source. */
  readonly total: number;
}

export interface RunOptions {
  /** Epoch milliseconds. */
  readonly now: number;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: CopyProgress) => void;
}

export interface CopiedCounts {
  readonly rows: number;
  readonly digest: string;
}

/** Outcome of a run: the content of each table. */
export interface Run {
  readonly resumed: boolean;
  readonly tables: Readonly<Record<string, CopiedCounts>>;
}

/** An open database with the current schema. */
export interface Side {
  readonly config: DatabaseConfig;
  readonly writer: DataSource;
  readonly store: Store;
  /** Objects in it that are not ours. */
  readonly foreign: readonly string[];
}

const progressRows = shapeOf(DatabaseCopyTableEntity);

/** Progress of one table. */
type Progress = DatabaseCopyTableEntity;

async function note(tx: Tx, progress: Progress): Promise<void> {
  await saveRows(tx, progressRows, [progress]);
}

/** One run of a copy between two open databases. */
export class Copying {
  private readonly tables = copiedTables(this.from.writer);
  private rows = 0;
  private total = 0;

  constructor(
    private readonly from: Side,
    private readonly into: Side,
    private readonly options: RunOptions,
  ) {}

  async run(): Promise<Run> {
    const resumed = await this.begin();
    this.total = await this.countSource();
    for (const table of this.tables) await this.copyTable(table);
    this.rows = 0;
    const counts: Record<string, CopiedCounts> = {};
    for (const table of this.tables) counts[table.table] = await this.compareTable(table);
    if (this.into.config.kind === 'postgres') await this.analyze();
    await this.end();
    return { resumed, tables: counts };
  }

  /** Marks both databases, the source first; returns true if an earlier run began. */
  private async begin(): Promise<boolean> {
    const [source, target] = [await copyMark(this.from.store.reader), await copyMark(this.into.store.reader)];
    if (source?.side === 'target') {
      throw new CopyError('DATABASE_URL: the copy into this database is incomplete, so it cannot be copied.');
    }
    if (target !== null) {
      if (target.side === 'target' && target.copy_id === source?.copy_id) return true;
      throw new CopyError(
        target.side === 'target'
          ? '--to: the database contains an unfinished copy of another database, or of an earlier state of this one. Empty it first.'
          : '--to: the database is not empty: it was copied to another one. Name an empty one.',
      );
    }
    if (source !== null && source.ended_at !== null) {
      throw new CopyError(
        'DATABASE_URL: the database was already copied. To copy it again, run `pulsekeep database reopen` first.',
      );
    }
    await this.assertEmpty();
    const copyId = source?.copy_id ?? newId();
    if (source === null) await this.mark(this.from, 'source', copyId);
    await this.mark(this.into, 'target', copyId);
    return false;
  }

  /** A database on which no service has started contains at most the rows that migrations insert into some tables. */
  private async assertEmpty(): Promise<void> {
    const { reader } = this.into.store;
    const used = (await reader.row(selectIdentity)) !== null;
    for (const { table } of this.tables) {
      const most = table === 'walks' ? walkNames.length : 1;
      if (!used && (await reader.few(`SELECT 1 FROM ${table} LIMIT ${most + 1}`)).length <= most) continue;
      throw new CopyError('--to: the database is not empty. Name an empty one; a file that does not exist is created.');
    }
  }

  private mark({ store }: Side, side: CopySide, copyId: string): Promise<unknown> {
    const sql = 'INSERT INTO database_copies (id, copy_id, side, begun_at) VALUES (1, ?, ?, ?)';
    return store.lane.run((tx) => tx.execute(sql, [copyId, side, this.options.now]));
  }

  private async countSource(): Promise<number> {
    const { config, writer } = this.from;
    const counts = this.tables.map(({ table }) => `(SELECT COUNT(*) FROM ${table})`);
    const sql = `SELECT ${counts.join(' + ')} AS total`;
    const [found] =
      config.kind === 'sqlite'
        ? await this.from.store.reader.few<{ total: number }>(sql)
        : await transactionWithoutLimits(writer, (runner) => runner.query(sql) as Promise<{ total: number }[]>);
    return found?.total ?? 0;
  }

  private async copyTable(table: CopiedTable): Promise<void> {
    const before = await this.progressOf(table);
    this.rows += before.copied;
    if (before.complete === 1) return;
    const after = await this.copyPages(table, before);
    const { numbered } = table;
    const last = numbered === null ? 0 : await lastNumber(this.from.store.reader, table.table, numbered);
    await this.into.store.lane.run(async (tx) => {
      if (numbered !== null) await continueAfter(tx, table.table, numbered, last);
      await note(tx, { ...after, complete: 1 });
    });
  }

  /** Reads the next page while the previous one is written. Returns the progress after all pages. */
  private async copyPages(table: CopiedTable, before: Progress): Promise<Progress> {
    const last = before.last_key === null ? null : (JSON.parse(before.last_key) as SqlValue[]);
    const digest = new RowDigest(before.digest);
    let progress = before;
    let shape = await this.firstShape(table, last);
    let writing: Promise<unknown> = Promise.resolve();
    try {
      for await (const page of pagesOf(this.from.store.reader, table, last)) {
        for (const row of page) digest.add(row);
        await writing;
        this.rows += page.length;
        this.report('copy', table);
        progress = {
          ...progress,
          last_key: JSON.stringify(keyOf(table, page.at(-1) ?? [])),
          copied: progress.copied + page.length,
          digest: digest.toString(),
        };
        writing = this.write(shape, page, progress);
        writing.catch(() => undefined);
        shape = copyShape(table, []);
      }
    } finally {
      await writing;
    }
    return progress;
  }

  private async progressOf({ table }: CopiedTable): Promise<Progress> {
    const sql = 'SELECT * FROM database_copy_tables WHERE name = ?';
    const stored = await this.into.store.reader.row<Progress>(sql, [table]);
    return stored ?? { name: table, last_key: null, copied: 0, digest: new RowDigest().toString(), complete: 0 };
  }

  /** The row that a migration inserted into some tables is replaced; all other rows are new. */
  private async firstShape(table: CopiedTable, last: readonly SqlValue[] | null): Promise<BulkShape> {
    const sql = `SELECT 1 FROM ${table.table} LIMIT 1`;
    const isFilled = last === null && (await this.into.store.reader.few(sql)).length > 0;
    const others = table.columns.map(({ name }) => name).filter((name) => !table.key.includes(name));
    return copyShape(table, isFilled ? others : []);
  }

  private write(shape: BulkShape, page: readonly Row[], progress: Progress): Promise<unknown> {
    return this.into.store.lane.run(async (tx) => {
      await tx.bulk(shape, page.flat());
      await note(tx, progress);
    });
  }

  /** Reads back what was written. */
  private async compareTable(table: CopiedTable): Promise<CopiedCounts> {
    const expected = await this.progressOf(table);
    const digest = new RowDigest();
    let rows = 0;
    for await (const page of pagesOf(this.into.store.reader, table)) {
      for (const row of page) digest.add(row);
      rows += page.length;
      this.rows += page.length;
      this.report('compare', table);
    }
    if (rows === expected.copied && digest.toString() === expected.digest) return { rows, digest: expected.digest };
    throw new CopyError(
      `The table ${table.table} differs: the source had ${expected.copied} rows, the copy has ${rows}. Empty the target and copy again.`,
    );
  }

  /** Throws if the run was asked to stop. */
  private report(phase: CopyProgress['phase'], { table }: CopiedTable): void {
    this.options.onProgress({ phase, table, rows: this.rows, total: this.total });
    if (this.options.signal.aborted) throw new CopyError('Stopped. Run the same command again to resume the copy.');
  }

  /** Without statistics, the service's first queries would scan entire tables. */
  private analyze(): Promise<unknown> {
    const names = this.tables.map(({ table }) => table).join(', ');
    return transactionWithoutLimits(this.into.writer, (runner) => runner.query(`ANALYZE ${names}`));
  }

  /** Marks the source first: a crash in between leaves both closed, and the next run finishes here. */
  private async end(): Promise<void> {
    const sql = 'UPDATE database_copies SET ended_at = ? WHERE id = 1';
    await this.from.store.lane.run((tx) => tx.execute(sql, [this.options.now]));
    await this.into.store.lane.run(async (tx) => {
      await tx.execute('DELETE FROM database_copy_tables');
      await tx.execute('DELETE FROM database_copies');
    });
  }
}

function copyShape({ table, columns, key }: CopiedTable, update: readonly string[]): BulkShape {
  return { table, columns, conflict: key, update };
}
