import { setTimeout as wait } from 'node:timers/promises';
import type { LeasedRow } from './lease.js';
import type { LeaseKeeper } from './lease-keeper.js';
import type { LeasedRows } from './leased-rows.js';
import type { WorkOutcome } from './worker-loop.js';

/** While rows are worked on, more are looked for this often. */
const LOOK_MS = 100;

/**
 * Leased rows that one worker works on side by side. A round ends when one of them is finished or it is time to look
 * for more, so a long one does not delay others.
 */
export class RunningRows<Row extends LeasedRow> {
  private readonly runs = new Map<Promise<void>, Row>();
  /** Runs that ended so far: one that ends while rows are claimed may have left its own to be claimed again. */
  private ended = 0;
  private failure: { error: unknown } | null = null;

  constructor(
    private readonly worker: string,
    private readonly rows: LeasedRows<Row>,
    private readonly leases: LeaseKeeper,
  ) {}

  /** The rows that are worked on now. */
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

  /** `fill` begins work on rows as far as there are places. */
  async round(signal: AbortSignal, fill: () => Promise<void>): Promise<WorkOutcome> {
    const before = this.ended;
    if (!signal.aborted) await fill();
    if (this.runs.size === 0 && !this.failure) return this.ended === before ? 'idle' : 'more';
    if (!signal.aborted) await this.nextMove();
    // The stop may have come during the move: the round, and with it the drain, must not end before its runs.
    if (signal.aborted) await Promise.all(this.runs.keys());
    const { failure } = this;
    this.failure = null;
    if (failure) throw failure.error;
    return 'more';
  }

  private async nextMove(): Promise<void> {
    const enough = new AbortController();
    const look = wait(LOOK_MS, undefined, { signal: enough.signal }).catch(() => undefined);
    await Promise.race([look, ...this.runs.keys()]);
    enough.abort();
  }
}
