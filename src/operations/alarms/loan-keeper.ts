import type { Clock } from '../../platform/platform/clock.js';
import type { ThisProcess } from '../../platform/platform/this-process.js';
import type { Budget } from '../../upstream/transport/budget.js';
import { type CallLoans, LENDING_MS, LOAN_MS, loanFrom, returnedAfter } from './call-loans.js';

/** A process lends what it did not use in these rounds, if no call had to wait. */
const QUIET_ROUNDS = 4;
/** Less than this part of a share is not worth a statement. */
const MIN_LENT = 0.2;
/** A promise whose statement failed may still be stored, and later than the failure. */
const LATE_COMMIT_MS = 10_000;
const AGAIN_AFTER_MS = 5_000;

const nothingLent = { lends: null, lends_until: null };
const nothingBorrowed = { borrows: null, borrows_until: null };

/**
 * Stores the loans of this process, as decided from those of the others and the time of the database, one process after
 * another. Returns false if this process has no row yet.
 */
export type ChangeLoans = (decide: (others: readonly CallLoans[], now: number) => CallLoans) => Promise<boolean>;

/** Lends unused calls of this process to the others, and borrows theirs while calls wait (call-loans.ts). */
export class LoanKeeper {
  /** Calls a second of the stored promise; 0 if there is none. */
  private lends = 0;
  /** Monotonic time of the last promise. */
  private promisedAt = Number.NEGATIVE_INFINITY;
  private notBefore = Number.NEGATIVE_INFINITY;
  /** Calls begun until each of the last rounds without a waiting call. */
  private quiet: { readonly at: number; readonly begun: number }[] = [];

  constructor(
    private readonly budget: Budget,
    private readonly thisProcess: Pick<ThisProcess, 'sharers'>,
    private readonly clock: Clock,
    private readonly change: ChangeLoans,
  ) {}

  /** To be called every half LOAN_MS. Rejects if the database fails, and then does nothing for a while. */
  async look(): Promise<void> {
    const now = this.clock.monotonic();
    const unused = this.unused(now);
    if (now < this.notBefore) return;
    this.notBefore = now + AGAIN_AFTER_MS;
    if (now >= this.promisedAt + LENDING_MS) this.lends = 0;
    await this.adjust(unused, now);
    this.notBefore = now;
  }

  private async adjust(unused: number, now: number): Promise<void> {
    const isAlone = this.thisProcess.sharers === 1;
    const { requestsPerSecond: share } = this.budget.share;
    // A new process made the shares smaller.
    const lendsTooMuch = share - this.lends < this.budget.leastKept / 2;
    if (this.lends > 0 && (isAlone || this.budget.isShort || lendsTooMuch)) return this.takeBack();
    if (isAlone) return;
    if (this.budget.isShort) return this.borrow();
    const isWorthIt = unused - this.lends >= share * MIN_LENT;
    const endsSoon = this.lends > 0 && now >= this.promisedAt + LENDING_MS / 3;
    if (isWorthIt || endsSoon) await this.lend(Math.max(unused, this.lends));
  }

  /** Calls a second that this process can spare: none until it was quiet for a while. */
  private unused(now: number): number {
    if (this.budget.isShort) this.quiet = [];
    else this.quiet = [...this.quiet.slice(-QUIET_ROUNDS), { at: now, begun: this.budget.begunCalls }];
    const [first] = this.quiet;
    if (first === undefined || this.quiet.length <= QUIET_ROUNDS) return 0;
    const used = ((this.budget.begunCalls - first.begun) * 1000) / Math.max(1, now - first.at);
    const { requestsPerSecond: share } = this.budget.share;
    return Math.max(0, share - Math.max(this.budget.leastKept, 2 * used));
  }

  private async lend(rate: number): Promise<void> {
    const before = this.clock.monotonic();
    this.budget.lend(rate, before + LENDING_MS + LATE_COMMIT_MS);
    this.lends = rate;
    this.promisedAt = before;
    await this.change((_, now) => ({ ...nothingBorrowed, lends: rate, lends_until: now + LENDING_MS }));
    this.budget.lend(rate, this.clock.monotonic() + LENDING_MS);
  }

  private async takeBack(): Promise<void> {
    let after = LOAN_MS;
    await this.change((others, now) => {
      after = returnedAfter(others, now);
      return { ...nothingLent, ...nothingBorrowed };
    });
    this.budget.lend(this.lends, this.clock.monotonic() + after);
    this.lends = 0;
  }

  private async borrow(): Promise<void> {
    const before = this.clock.monotonic();
    let rate = 0;
    const isStored = await this.change((others, now) => {
      rate = loanFrom(others, now);
      // Others may borrow the difference as soon as this is stored, although its answer may be late or lost.
      this.budget.borrowAtMost(rate);
      return { ...nothingLent, borrows: rate, borrows_until: now + LOAN_MS };
    });
    if (isStored) this.budget.borrow(rate, before + LOAN_MS);
  }
}
