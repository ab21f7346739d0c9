import type { EntityManager } from 'typeorm';
import { AppError } from '../../platform/platform/errors.js';
import type { Dialect, SqlInput, SqlValue } from './dialect.js';

declare const writing: unique symbol;

/** Reads with portable SQL: `?` placeholders and no dialect. */
export interface Queryable {
  readonly dialect: Dialect;
  /** All rows of a query, integer columns as numbers. */
  rows<T>(sql: string, parameters?: readonly SqlInput[]): Promise<T[]>;
  /**
   * The same for at most a few dozen small rows found by an index. On SQLite they are read synchronously, which costs
   * less than a thread but blocks the event loop.
   */
  few<T>(sql: string, parameters?: readonly SqlInput[]): Promise<T[]>;
}

/**
 * An open write transaction. Only the write lane creates one, so a function that takes a `Tx` cannot be called outside
 * a transaction, and nothing else can write. Unusable once its job has settled.
 */
export type Tx = TxOperations & { readonly [writing]: true };

export interface TxOperations extends Queryable {
  /** Epoch milliseconds at which the job began; one that runs again has a new one. The time of what it stores. */
  readonly now: number;
  /** TypeORM's manager in this transaction, for everything except hot paths. */
  readonly orm: EntityManager;
  /** Runs one statement and returns the number of written rows. */
  execute(sql: string, parameters?: readonly SqlInput[]): Promise<number>;
  /** Writes many rows with few statements; see bulk.ts. */
  bulk(shape: BulkShape, values: readonly SqlValue[]): Promise<number>;
  /** The same; returns the `shape.returning` columns of the written rows, in any order. */
  bulkRows<T>(shape: BulkShape, values: readonly SqlValue[]): Promise<T[]>;
  /**
   * Inserts rows that the database numbers in order, each with a row in the tables beside it that carries the number.
   * Skips rows whose `conflict` value is already stored. Returns the number of inserted rows.
   */
  insertNumbered(shape: NumberedShape, values: readonly SqlValue[]): Promise<number>;
  /** Runs a query about many keys. Each result row is a list of its columns. */
  given<T extends readonly SqlValue[]>(query: GivenQuery, values: readonly SqlValue[]): Promise<T[]>;
  /**
   * Runs `report` right after the commit and before the job's promise resolves; never after a rollback. For counters
   * and log lines. It must not throw.
   */
  afterCommit(report: () => void): void;
  /**
   * Locks objects by id, in ascending order, until this transaction ends. SQLite's lane runs one job at a time and
   * needs no locks.
   */
  lock(kind: LockKind, ...ids: readonly number[]): Promise<void>;
  /** Epoch milliseconds by the database's clock, which all processes share; at the time of this call. */
  sharedClock(): Promise<number>;
  /** Suffix for a claiming subquery: lets several processes claim concurrently where possible. */
  readonly skipLocked: string;
  /** Suffix for a SELECT: locks its rows until this transaction ends. SQLite needs no lock. */
  readonly forShare: string;
}

export abstract class OpenTx {
  readonly reports: (() => void)[] = [];
  private live = true;

  constructor(readonly now: number) {}

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

export const lockKinds = { account: 1, sample: 2, loans: 3 } as const;
export type LockKind = keyof typeof lockKinds;

export interface RowShape {
  readonly table: string;
  readonly columns: readonly { readonly name: string; readonly type: 'int' | 'real' | 'text' | 'bytes' }[];
}

/** The shape of a bulk write, built once per table so that its statements are prepared once. */
export interface BulkShape extends RowShape {
  /** Columns of the unique key that identifies a row. */
  readonly conflict: readonly string[];
  /** Columns taken from the new row if the key exists; if empty, the stored row stays. */
  readonly update: readonly string[];
  /** Portable condition on `excluded.x` and `<table>.x` for the update. */
  readonly when?: string;
  /** Columns of the written rows that `bulkRows` returns. */
  readonly returning?: readonly string[];
}

/** Rows numbered by the database. Their values are those of `columns`, then those of the tables in `beside`. */
export interface NumberedShape extends RowShape {
  /** Column with the generated number. */
  readonly number: string;
  /** Column with a unique index that shows whether a row is already stored. */
  readonly conflict: string;
  /** Tables with one row for each of these; their first column is the number, which is not among the values. */
  readonly beside: readonly RowShape[];
}

/**
 * A query that reads the caller's rows as the table `given`, with a value for each column. Built once, so that its
 * statements are prepared once.
 */
export interface GivenQuery {
  readonly columns: BulkShape['columns'];
  readonly sql: string;
}
