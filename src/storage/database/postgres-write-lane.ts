import { AsyncLocalStorage } from 'node:async_hooks';
import type { DataSource, EntityManager, QueryResult, QueryRunner } from 'typeorm';
import type { Clock } from '../../platform/platform/clock.js';
import { AppError } from '../../platform/platform/errors.js';
import { columnsOf, postgresBulkText, postgresGivenText, postgresNumberedText, toColumns } from './bulk.js';
import { ConnectionTurns } from './connection-turns.js';
import {
  driverCode,
  numberPlaceholders,
  type SqlInput,
  type SqlValue,
  storageUnavailable,
  storeFailure,
  toSqlValue,
} from './dialect.js';
import { MAX_TRANSACTION_TRIES } from './tuning.js';
import {
  type BulkShape,
  type GivenQuery,
  type LockKind,
  lockKinds,
  type NumberedShape,
  OpenTx,
  type Tx,
  type TxOperations,
} from './tx.js';
import { type JobOptions, reportLater, type Work, WriteLane } from './write-lane.js';

/*
 * On PostgreSQL a job is a transaction on a pool connection. As many jobs run concurrently as there are connections;
 * the others wait, and callers take turns. If two lock the same rows in opposite order, the server aborts one of them
 * (deadlock, serialization failure), and it runs again. A job with only one call is a single autocommitted statement.
 */

const RETRIED_STATES = new Set(['40001', '40P01']);

/** The lane whose job is running. One storage for all lanes, because Node 20 visits each storage at every promise. */
const laneOfJob = new AsyncLocalStorage<PostgresWriteLane>();

export class PostgresWriteLane extends WriteLane {
  private readonly running = new Set<Promise<unknown>>();
  private readonly turns: ConnectionTurns;

  /**
   * `connections`: size of the pool of `dataSource`. `unfit` says why nothing may be written, because rows of our
   * tables may be hidden; null if it may.
   */
  constructor(
    private readonly dataSource: DataSource,
    connections: number,
    private readonly clock: Clock,
    private readonly unfit: () => string | null = () => null,
  ) {
    super();
    this.turns = new ConnectionTurns(connections);
  }

  run<T>(work: Work<T>, options: JobOptions = {}): Promise<T> {
    const why = this.unfit();
    if (why !== null) return Promise.reject(storageUnavailable(new Error(why)));
    const job = this.turns.run(() => this.tryRepeatedly(work, options));
    const forget = (): boolean => this.running.delete(job);
    this.running.add(job);
    job.then(forget, forget);
    return job;
  }

  inside(): boolean {
    return laneOfJob.getStore() === this;
  }

  async idle(): Promise<void> {
    while (this.running.size > 0) await Promise.allSettled(this.running);
  }

  private async tryRepeatedly<T>(work: Work<T>, options: JobOptions): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.transact(work, options);
      } catch (error) {
        if (attempt >= MAX_TRANSACTION_TRIES || !RETRIED_STATES.has(driverCode(error) ?? '')) throw error;
      }
    }
  }

  private async transact<T>(work: Work<T>, { calls = 'many' }: JobOptions): Promise<T> {
    const runner = this.dataSource.createQueryRunner();
    const tx = new PostgresTx(this.clock.now(), runner, calls);
    try {
      await runner.connect();
      if (calls === 'many') await runner.startTransaction().catch(unavailable);
      const result = await laneOfJob.run(this, () => work(tx as TxOperations as Tx));
      tx.end();
      if (calls === 'many') await runner.commitTransaction().catch(unavailable);
      reportLater(tx.reports);
      return result;
    } catch (error) {
      tx.end();
      if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined);
      this.noteFailure(error);
      throw storeFailure(error);
    } finally {
      await runner.release().catch(() => undefined);
    }
  }
}

/** A deadlock reported at the commit is not converted, so that the job runs again. */
function unavailable(error: unknown): never {
  throw RETRIED_STATES.has(driverCode(error) ?? '') ? error : storageUnavailable(error);
}

class PostgresTx extends OpenTx implements TxOperations {
  readonly dialect = 'postgres';
  readonly skipLocked = 'FOR UPDATE SKIP LOCKED';
  readonly forShare = 'FOR SHARE';
  private called = false;

  constructor(
    now: number,
    private readonly runner: QueryRunner,
    private readonly calls: JobOptions['calls'],
  ) {
    super(now);
  }

  get orm(): EntityManager {
    this.assertLive();
    if (this.calls === 'one') throw new AppError('lane_refused', 'TypeORM may call more than once.');
    return this.runner.manager;
  }

  async rows<T>(sql: string, parameters: readonly SqlInput[] = []): Promise<T[]> {
    const result = await this.query(numberPlaceholders(sql), parameters.map(toSqlValue));
    return result.records as T[];
  }

  async execute(sql: string, parameters: readonly SqlInput[] = []): Promise<number> {
    const result = await this.query(numberPlaceholders(sql), parameters.map(toSqlValue));
    return result.affected ?? 0;
  }

  async bulk(shape: BulkShape, values: readonly SqlValue[]): Promise<number> {
    return (await this.write(shape, values))?.affected ?? 0;
  }

  async bulkRows<T>(shape: BulkShape, values: readonly SqlValue[]): Promise<T[]> {
    return ((await this.write(shape, values))?.records ?? []) as T[];
  }

  async insertNumbered(shape: NumberedShape, values: readonly SqlValue[]): Promise<number> {
    if (values.length === 0) return 0;
    const result = await this.query(postgresNumberedText(shape), toColumns({ columns: columnsOf(shape) }, values));
    return Number((result.records as { inserted: number }[])[0]?.inserted);
  }

  async given<T extends readonly SqlValue[]>(query: GivenQuery, values: readonly SqlValue[]): Promise<T[]> {
    if (values.length === 0) return [];
    const result = await this.query(postgresGivenText(query), toColumns(query, values));
    return (result.records as Record<string, SqlValue>[]).map((row) => Object.values(row) as readonly SqlValue[] as T);
  }

  private async write(shape: BulkShape, values: readonly SqlValue[]): Promise<QueryResult | null> {
    if (values.length === 0) return null;
    return this.query(postgresBulkText(shape), toColumns(shape, values));
  }

  async lock(kind: LockKind, ...ids: readonly number[]): Promise<void> {
    const inOrder = [...new Set(ids)].sort((a, b) => a - b);
    const sql = 'SELECT pg_advisory_xact_lock($1, id) FROM UNNEST($2::int[]) AS id';
    await this.query(sql, [lockKinds[kind], inOrder]);
  }

  async sharedClock(): Promise<number> {
    const sql = 'SELECT FLOOR(EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint AS at';
    return Number((await this.rows<{ at: number }>(sql))[0]?.at);
  }

  private async query(sql: string, parameters: unknown[]): Promise<QueryResult> {
    this.assertLive();
    if (this.calls === 'one' && this.called) throw new AppError('lane_refused', 'The job declared a single call.');
    this.called = true;
    return this.runner.query(sql, parameters, true);
  }
}
