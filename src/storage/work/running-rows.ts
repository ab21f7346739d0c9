import { setTimeout as wait } from 'node:timers/promises';
import { RUNNING_LOOK_MS } from '../database/tuning.js';
import type { LeasedRow } from './lease.js';
import type { LeaseKeeper } from './lease-keeper.js';
import type { LeasedRows } from './leased-rows.js';
import type { WorkOutcome } from './worker-loop.js';

/**
 * Leased rows that a worker processes concurrently. A round ends when one of them is finished or it is time to look for
 * more, so that a long one does not delay others.
 */
export class RunningRows<Row extends LeasedRow> {
  private readonly runs = new Map<Promise<void>, Row>();
  /** Number of runs that ended. A run that ends while rows are being claimed may have made its own row due again. */
  private ended = 0;
  private failure: { error: unknown } | null = null;

  constructor(
    private readonly worker: string,
    private readonly rows: LeasedRows<Row>,
    private readonly leases: LeaseKeeper,
  ) {}

  /** The rows in progress. */
  get held(): Row[] {
    return [...this.runs.values()];
  }

  /** Holds the lease of a claimed row while `work` runs. If that rejects, the row is given back and a round rejects. */
  begin(row: Row, work: () => Promise<void>): void {
    const holding = this.leases.hold(this.rows, [row], { worker: this.worker });
    const run: Promise<void> = work()
      .catch((error: unknown) => {
        this.leases.giveBack(this.rows, row);
        this.failure = { error };
      })
      .finally(() => {
        holding.end();
        this.ended += 1;
        this.runs.delete(run);
      });
    this.runs.set(run, row);
  }

  /** `fill` begins work on rows while there are free slots. */
  async round(signal: AbortSignal, fill: () => Promise<void>): Promise<WorkOutcome> {
    const before = this.ended;
    if (!signal.aborted) await fill();
    if (this.runs.size === 0 && !this.failure) return this.ended === before ? 'idle' : 'more';
    if (!signal.aborted) await this.nextMove();
    // A stop may arrive during the wait: the round, and with it the drain, must not end before its runs.
    if (signal.aborted) await Promise.all(this.runs.keys());
    const { failure } = this;
    this.failure = null;
    if (failure) throw failure.error;
    return 'more';
  }

  private async nextMove(): Promise<void> {
    const enough = new AbortController();
    const look = wait(RUNNING_LOOK_MS, undefined, { signal: enough.signal }).catch(() => undefined);
    await Promise.race([look, ...this.runs.keys()]);
    enough.abort();
  }
}
