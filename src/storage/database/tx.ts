import type { EntityManager } from 'typeorm';
import { AppError } from '../../platform/platform/errors.js';
import type { Dialect, SqlInput, SqlValue } from './dialect.js';

declare const writing: unique symbol;

/** Reads with portable SQL: `?` placeholders, no dialect words. */
export interface Queryable {
  readonly dialect: Dialect;
  /** All rows of a query, integer columns as numbers. */
  rows<T>(sql: string, parameters?: readonly SqlInput[]): Promise<T[]>;
  /**
   * The same for a few dozen small rows found by an index. On SQLite these are read synchronously, which costs less
   * than a thread but blocks the event loop.
   */
  few<T>(sql: string, parameters?: readonly SqlInput[]): Promise<T[]>;
}

/**
 * An open write transaction. Only the write lane makes one, so a function that takes a `Tx` cannot be called
 * outside a transaction, and nothing else can write. It is dead once its job has settled.
 */
export type Tx = TxOperations & { readonly [writing]: true };

export interface TxOperations extends Queryable {
  /** TypeORM's manager on this transaction, for everything that is not a hot path. */
  readonly orm: EntityManager;
  /** Runs one statement; returns the number of written rows. */
  execute(sql: string, parameters?: readonly SqlInput[]): Promise<number>;
  /** Writes many rows with few statements; see bulk.ts. */
  bulk(shape: BulkShape, values: readonly SqlValue[]): Promise<number>;
  /** The same; returns the columns of `shape.returning` of the written rows, in no order. */
  bulkRows<T>(shape: BulkShape, values: readonly SqlValue[]): Promise<T[]>;
  /**
   * Inserts rows that the database numbers in their order, each with a row under its number in other tables. Skips rows
   * whose `conflict` column holds a stored value. Returns the number of inserted rows.
   */
  insertNumbered(shape: NumberedShape, values: readonly SqlValue[]): Promise<number>;
  /** Runs a query about many keys; each row as the list of its columns. */
  given<T extends readonly SqlValue[]>(query: GivenQuery, values: readonly SqlValue[]): Promise<T[]>;
  /**
   * Runs `report` right after the commit, before the job's promise resolves; never after a rollback. For counters and
   * log lines: it must not throw.
   */
  afterCommit(report: () => void): void;
  /**
   * Locks the things, in the order of their ids, until this transaction ends. SQLite's lane runs one job at a time
   * and needs no locks.
   */
  lock(kind: LockKind, ...ids: readonly number[]): Promise<void>;
  /** The end of a claiming subquery: lets several processes claim concurrently where possible. */
  readonly skipLocked: string;
  /** The end of a SELECT: locks its rows until this transaction ends. SQLite needs no lock. */
  readonly forShare: string;
}

export abstract class OpenTx {
  readonly reports: (() => void)[] = [];
  private live = true;

  abstract rows<T>(sql: string, parameters?: readonly SqlInput[]): Promise<T[]>;

  few<T>(sql: string, parameters?: readonly SqlInput[]): Promise<T[]> {
    return this.rows(sql, parameters);
  }

  afterCommit(report: () => void): void {
    this.assertLive();
    this.reports.push(report);
  }

  end(): void {
    this.live = false;
  }

  protected assertLive(): void {
    if (!this.live) throw new AppError('lane_refused', 'The transaction has ended.');
  }
}

export const lockKinds = { account: 1 } as const;
export type LockKind = keyof typeof lockKinds;

export interface RowShape {
  readonly table: string;
  readonly columns: readonly { readonly name: string; readonly type: 'int' | 'real' | 'text' | 'bytes' }[];
}

/** The shape of a bulk write: built once per table, so that its statements are prepared once. */
export interface BulkShape extends RowShape {
  /** Columns of the unique key that identifies a row. */
  readonly conflict: readonly string[];
  /** Columns taken from the new row when the key exists; none means the stored row stays. */
  readonly update: readonly string[];
  /** Portable condition on `excluded.x` and `<table>.x` under which the update happens. */
  readonly when?: string;
  /** Columns that `bulkRows` returns of the written rows. */
  readonly returning?: readonly string[];
}

/** Rows that the database numbers. The values of each are those of `columns`, then those of the tables beside. */
export interface NumberedShape extends RowShape {
  /** The column in which the database numbers them. */
  readonly number: string;
  /** The column with a unique index that decides whether a row is stored already. */
  readonly conflict: string;
  /** Tables with a row for each; their first column is the number, and not among the values. */
  readonly beside: readonly RowShape[];
}

/**
 * A query that reads the caller's rows as the table `given`, with a value for each column: built once, so that its
 * statements are prepared once.
 */
export interface GivenQuery {
  readonly columns: BulkShape['columns'];
  readonly sql: string;
}
