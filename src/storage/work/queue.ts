import type { Clock } from '../../platform/platform/clock.js';
import { describeError } from '../../platform/platform/errors.js';
import type { Log } from '../../platform/platform/log.js';
import type { Metrics } from '../../platform/platform/metrics.js';
import type { Reader } from '../database/reader.js';
import type { Tx } from '../database/tx.js';
import type { WriteLane } from '../database/write-lane.js';
import type { LeasedRow } from './lease.js';
import type { Holding, LeaseKeeper } from './lease-keeper.js';
import { type LeasedRows, LeaseLost, type Restriction } from './leased-rows.js';
import {
  Abandoned,
  abandonedCode,
  classify,
  isSpent,
  type Judgement,
  type RetryPolicy,
  type Verdict,
  verdictOn,
} from './retry.js';
import type { WorkOutcome } from './worker-loop.js';

/** A queue of leased work, as described by a worker. */
export interface QueueOptions<Row extends LeasedRow> {
  readonly name: string;
  readonly batch: number;
  /** True if the rows of a batch are processed concurrently; default false. */
  readonly sideBySide?: boolean;
  readonly rows: LeasedRows<Row>;
  /** Work on a row without progress for this long is stuck; default ten minutes. */
  readonly stuckAfterMs?: number;
  readonly only?: Restriction;
  readonly retry: RetryPolicy;
  /** Replaces `rows.claim` if the claim changes more than the lease. */
  readonly claim?: (tx: Tx, now: number) => Promise<readonly Row[]>;
  /**
   * Does the work and completes the row in the same transaction. Errors go through `classify`. `batch` contains the
   * rows claimed together; it is the same array for each of them.
   */
  readonly handle: (row: Row, signal: AbortSignal, batch: readonly Row[]) => Promise<void>;
  /** Exceptions from `classify`. */
  readonly judge?: (error: unknown, row: Row) => Judgement;
  /** Replaces `rows.buryUnlessRequested` if burying changes more than the lease. */
  readonly bury?: (tx: Tx, row: Row, code: string) => Promise<unknown>;
  readonly deferred?: (row: Row, verdict: Verdict & { then: 'defer' }, error: unknown) => void;
  /** Called after the row was buried; with {@link Abandoned} if its holders ended without an outcome. */
  readonly buried?: (row: Row, code: string, error: unknown) => void;
}

export interface QueueSurroundings {
  readonly lane: WriteLane;
  readonly reader: Reader;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly leases: LeaseKeeper;
}

/** Rows claimed together, and the lease they share. */
interface Claimed<Row> {
  readonly batch: readonly Row[];
  readonly holding: Holding;
  readonly signal: AbortSignal;
}

/** Outcome of a claimed row. `lost`: another process holds it; `released`: released at a shutdown. */
type RowOutcome = 'done' | 'deferred' | 'buried' | 'released' | 'lost';

/**
 * Runs the rounds of one queue: looks for due rows on a reader, claims them, does the work, and stores the outcome of
 * each row. Only a pause requested by upstream is kept in memory; after a restart upstream requests it again.
 */
export class Queue<Row extends LeasedRow> {
  private readonly outcomes = this.around.metrics.counter('worker_rows_total', 'Claimed queue rows by outcome', [
    'worker',
    'outcome',
  ]);
  /** Monotonic time. */
  private pausedUntil = 0;

  constructor(
    private readonly options: QueueOptions<Row>,
    private readonly around: QueueSurroundings,
  ) {}

  async round(signal: AbortSignal): Promise<WorkOutcome> {
    const { rows, only } = this.options;
    const { clock, lane, reader } = this.around;
    const now = clock.now();
    if (signal.aborted || clock.monotonic() < this.pausedUntil) return 'idle';
    if (!(await rows.anyDue(reader, now, only))) return 'idle';
    const batch = await lane.run((tx) => this.claim(tx, now));
    await this.workOn(batch, signal);
    return batch.length > 0 ? 'more' : 'skipped';
  }

  /** Rejects if the store does not accept the outcome of a row. Rows without a stored outcome are released. */
  private async workOn(batch: readonly Row[], signal: AbortSignal): Promise<void> {
    const { name: worker, rows, sideBySide, stuckAfterMs } = this.options;
    const { leases } = this.around;
    const holding = leases.hold(rows, batch, { worker, stuckAfterMs });
    const open = new Set(batch);
    const settle = async (row: Row): Promise<void> => {
      await this.work(row, { batch, holding, signal });
      open.delete(row);
    };
    try {
      if (sideBySide) for (const end of await Promise.allSettled(batch.map(settle))) orThrow(end);
      else for (const row of batch) await settle(row);
    } finally {
      holding.end();
      for (const row of open) leases.giveBack(rows, row);
    }
  }

  private claim(tx: Tx, now: number): Promise<readonly Row[]> {
    const { rows, batch: limit, only } = this.options;
    return this.options.claim?.(tx, now) ?? rows.claim(tx, { now, limit, ...(only && { only }) });
  }

  private async work(row: Row, claimed: Claimed<Row>): Promise<void> {
    const { name } = this.options;
    try {
      this.outcomes.inc({ worker: name, outcome: await this.attempt(row, claimed) });
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
      this.outcomes.inc({ worker: name, outcome: 'lost' });
      this.around.log.event('worker.lease_lost', { worker: name }, 'warn');
    }
  }

  /** Releases a row if its lease ended before its work began. */
  private async attempt(row: Row, { batch, holding, signal }: Claimed<Row>): Promise<RowOutcome> {
    if (signal.aborted || holding.isOver()) return this.release(row);
    if (isSpent(row, this.options.retry)) return this.bury(row, abandonedCode, new Abandoned());
    try {
      await this.options.handle(row, signal, batch);
      return 'done';
    } catch (error) {
      if (error instanceof LeaseLost) throw error;
      return signal.aborted ? this.release(row) : this.failed(row, error);
    }
  }

  private failed(row: Row, error: unknown): Promise<RowOutcome> {
    const { name, retry, judge } = this.options;
    const judgement = judge?.(error, row) ?? classify(error);
    if (judgement.code === 'internal') {
      this.around.log.event('worker.row_failed', { worker: name, ...describeError(error) }, 'error');
    }
    const verdict = verdictOn(judgement, row, retry);
    return verdict.then === 'defer' ? this.defer(row, verdict, error) : this.bury(row, verdict.code, error);
  }

  private async defer(row: Row, verdict: Verdict & { then: 'defer' }, error: unknown): Promise<RowOutcome> {
    const { code, counts, delayMs, pauseMs } = verdict;
    const now = this.around.clock.now();
    this.pausedUntil = Math.max(this.pausedUntil, this.around.clock.monotonic() + pauseMs);
    await this.around.lane.run((tx) =>
      this.options.rows.deferUnlessRequested(tx, row, { dueAt: now + delayMs, code, counts }),
    );
    this.options.deferred?.(row, verdict, error);
    return 'deferred';
  }

  private async bury(row: Row, code: string, error: unknown): Promise<RowOutcome> {
    const { rows } = this.options;
    await this.around.lane.run(async (tx) => {
      await (this.options.bury?.(tx, row, code) ?? rows.buryUnlessRequested(tx, row, code));
    });
    this.options.buried?.(row, code, error);
    return 'buried';
  }

  private async release(row: Row): Promise<RowOutcome> {
    await this.around.lane.run((tx) => this.options.rows.release(tx, row));
    return 'released';
  }
}

function orThrow(end: PromiseSettledResult<void>): void {
  if (end.status === 'rejected') throw end.reason;
}
