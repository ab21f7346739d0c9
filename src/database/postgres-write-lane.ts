import { AsyncLocalStorage } from 'node:async_hooks';
import type { DataSource, EntityManager, QueryResult, QueryRunner } from 'typeorm';
import { AppError } from '../platform/errors.js';
import { postgresBulkText, postgresGivenText, toColumns } from './bulk.js';
import {
  driverCode,
  numberPlaceholders,
  type SqlInput,
  type SqlValue,
  storageUnavailable,
  storeFailure,
  toSqlValue,
} from './dialect.js';
import { type BulkShape, type GivenQuery, type LockKind, lockKinds, type Tx, type TxOperations } from './tx.js';
import { type Work, WriteLane } from './write-lane.js';

/*
 * On PostgreSQL a job is a transaction of the pool. Several run side by side; two that lock the same rows in
 * opposite order are refused by the server (deadlock, serialization), left nothing, and run again.
 */

const RETRIED_STATES = new Set(['40001', '40P01']);
const MOST_TRIES = 5;

export class PostgresWriteLane extends WriteLane {
  private readonly jobs = new AsyncLocalStorage<true>();
  private readonly running = new Set<Promise<unknown>>();

  constructor(private readonly dataSource: DataSource) {
    super();
  }

  run<T>(work: Work<T>): Promise<T> {
    const job = this.tryRepeatedly(work);
    const forget = (): boolean => this.running.delete(job);
    this.running.add(job);
    job.then(forget, forget);
    return job;
  }

  inside(): boolean {
    return this.jobs.getStore() === true;
  }

  async idle(): Promise<void> {
    while (this.running.size > 0) await Promise.allSettled(this.running);
  }

  private async tryRepeatedly<T>(work: Work<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.transact(work);
      } catch (error) {
        if (attempt >= MOST_TRIES || !RETRIED_STATES.has(driverCode(error) ?? '')) throw error;
      }
    }
  }

  private async transact<T>(work: Work<T>): Promise<T> {
    const runner = this.dataSource.createQueryRunner();
    const tx = new PostgresTx(runner);
    try {
      await runner.connect().catch(unavailable);
      await runner.startTransaction().catch(unavailable);
      const result = await this.jobs.run(true, () => work(tx as TxOperations as Tx));
      tx.end();
      await runner.commitTransaction().catch(unavailable);
      return result;
    } catch (error) {
      tx.end();
      if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined);
      this.noteFailure(error instanceof AppError ? error.cause : error);
      throw storeFailure(error);
    } finally {
      await runner.release().catch(() => undefined);
    }
  }
}

/** Deadlocks may be reported at the commit too; they stay what they are, so that the job runs again. */
function unavailable(error: unknown): never {
  throw RETRIED_STATES.has(driverCode(error) ?? '') ? error : storageUnavailable(error);
}

class PostgresTx implements TxOperations {
  readonly dialect = 'postgres';
  readonly skipLocked = 'FOR UPDATE SKIP LOCKED';
  readonly forShare = 'FOR SHARE';
  private live = true;

  constructor(private readonly runner: QueryRunner) {}

  get orm(): EntityManager {
    this.assertLive();
    return this.runner.manager;
  }

  async rows<T>(sql: string, parameters: readonly SqlInput[] = []): Promise<T[]> {
    this.assertLive();
    const result = await this.runner.query(numberPlaceholders(sql), parameters.map(toSqlValue), true);
    return result.records as T[];
  }

  few<T>(sql: string, parameters: readonly SqlInput[] = []): Promise<T[]> {
    return this.rows(sql, parameters);
  }

  async execute(sql: string, parameters: readonly SqlInput[] = []): Promise<number> {
    this.assertLive();
    const result = await this.runner.query(numberPlaceholders(sql), parameters.map(toSqlValue), true);
    return result.affected ?? 0;
  }

  async bulk(shape: BulkShape, values: readonly SqlValue[]): Promise<number> {
    return (await this.write(shape, values))?.affected ?? 0;
  }

  async bulkRows<T>(shape: BulkShape, values: readonly SqlValue[]): Promise<T[]> {
    return ((await this.write(shape, values))?.records ?? []) as T[];
  }

  async insertNumbered(shape: BulkShape, values: readonly SqlValue[]): Promise<(number | null)[]> {
    const { columns, conflict, number = '' } = shape;
    const [key = ''] = conflict;
    const rows = ((await this.write(shape, values))?.records ?? []) as Record<string, SqlValue>[];
    const numbers = new Map(rows.map((row) => [row[key], row[number] as number]));
    const place = columns.findIndex(({ name }) => name === key);
    const keys = values.filter((_, index) => index % columns.length === place);
    return keys.map((value) => numbers.get(value) ?? null);
  }

  async given<T extends readonly SqlValue[]>(query: GivenQuery, values: readonly SqlValue[]): Promise<T[]> {
    this.assertLive();
    if (values.length === 0) return [];
    const result = await this.runner.query(postgresGivenText(query), toColumns(query, values), true);
    return (result.records as Record<string, SqlValue>[]).map((row) => Object.values(row) as readonly SqlValue[] as T);
  }

  private async write(shape: BulkShape, values: readonly SqlValue[]): Promise<QueryResult | null> {
    this.assertLive();
    if (values.length === 0) return null;
    return this.runner.query(postgresBulkText(shape), toColumns(shape, values), true);
  }

  async lock(kind: LockKind, ...ids: readonly number[]): Promise<void> {
    this.assertLive();
    const inOrder = [...new Set(ids)].sort((a, b) => a - b);
    const sql = 'SELECT pg_advisory_xact_lock($1, id) FROM UNNEST($2::int[]) AS id';
    await this.runner.query(sql, [lockKinds[kind], inOrder]);
  }

  end(): void {
    this.live = false;
  }

  private assertLive(): void {
    if (!this.live) throw new AppError('lane_refused', 'The transaction has ended.');
  }
}
