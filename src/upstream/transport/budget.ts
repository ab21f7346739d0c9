import { Inject, Injectable } from '@nestjs/common';
import PQueue, { type QueueAddOptions } from 'p-queue';
import { UpstreamConfig } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import { ThisProcess } from '../../platform/platform/this-process.js';
import { MIN_KEPT, SLICES_PER_SECOND } from './tuning.js';

/** Most urgent first. */
export const priorities = ['sign_in', 'interactive', 'background', 'bulk'] as const;
export type Priority = (typeof priorities)[number];

const rank: Record<Priority, number> = { sign_in: 3, interactive: 2, background: 1, bulk: 0 };

/** True if a person is waiting for the call. */
export function isForPerson(priority: Priority): boolean {
  return priority === 'sign_in' || priority === 'interactive';
}
/** Started calls of the last minute are counted in parts of this length. */
const PART_MS = 10_000;
const PARTS = 6;
/** Keeps a share of a whole number of slots from being rounded down to one fewer. */
const ROUNDING = 1e-9;

/**
 * Splits the rate into short slices, so that no call waits a full second for the next slice: at most `starts` calls
 * begin in each `intervalMs`. Exact for any rate; from 10 per second up, a slice is shorter than 200 ms.
 */
export function rateSlice(requestsPerSecond: number): { starts: number; intervalMs: number } {
  const starts = Math.max(1, Math.floor(requestsPerSecond / SLICES_PER_SECOND));
  return { starts, intervalMs: (starts * 1000) / requestsPerSecond };
}

export interface BudgetLimits {
  readonly maxConcurrency: number;
  readonly requestsPerSecond: number;
}

/** Limits of a process that may make so many of all calls a second. */
function limitsAt(rate: number, { maxConcurrency, requestsPerSecond }: BudgetLimits): BudgetLimits {
  const slots = Math.floor((maxConcurrency * rate) / requestsPerSecond + ROUNDING);
  return { maxConcurrency: Math.max(Math.min(2, maxConcurrency), slots), requestsPerSecond: rate };
}

/** One process's share of the budget when `sharers` processes use it. */
export function shareOf(limits: BudgetLimits, sharers: number): BudgetLimits {
  return limitsAt(limits.requestsPerSecond / sharers, limits);
}

function slotsAfterSignIn(maxConcurrency: number): number {
  return maxConcurrency >= 3 ? maxConcurrency - 1 : maxConcurrency;
}

/** Concurrent background and bulk calls: what is left after the slots reserved for sign-ins and people. */
export function slotsForBackground(maxConcurrency: number): number {
  return Math.max(1, slotsAfterSignIn(maxConcurrency) - 1);
}

/** Calls a second that move from one process's share to another's until a monotonic time. */
interface Loan {
  readonly rate: number;
  readonly until: number;
}

const noLoan: Loan = { rate: 0, until: Number.NEGATIVE_INFINITY };

export interface Turn {
  readonly priority: Priority;
  readonly account?: number | undefined;
}

type Run = () => Promise<unknown>;

export interface TurnOptions extends QueueAddOptions {
  readonly priority?: number;
  /** Account the call is for. Calls for no account share one turn. */
  readonly account?: number | undefined;
}

/**
 * The waiting list of a `PQueue`. Higher priorities go first; within a priority, accounts take turns, so that many
 * calls for one account do not delay the others.
 */
export class TurnQueue {
  /** By priority and account; the account with the next turn is first. */
  private readonly waiting = new Map<number, Map<number | undefined, Run[]>>();
  size = 0;

  enqueue(run: Run, { priority = 0, account }: Partial<TurnOptions> = {}): void {
    const accounts = this.waiting.get(priority) ?? new Map<number | undefined, Run[]>();
    const calls = accounts.get(account) ?? [];
    calls.push(run);
    this.waiting.set(priority, accounts.set(account, calls));
    this.size += 1;
  }

  dequeue(): Run | undefined {
    const priority = Math.max(...this.waiting.keys());
    const accounts = this.waiting.get(priority);
    const [turn] = accounts ?? [];
    if (!accounts || !turn) return undefined;
    const [account, calls] = turn;
    const run = calls.shift();
    accounts.delete(account);
    if (calls.length > 0) accounts.set(account, calls);
    if (accounts.size === 0) this.waiting.delete(priority);
    this.size -= 1;
    return run;
  }

  filter({ priority = 0 }: Readonly<Partial<TurnOptions>>): Run[] {
    return [...(this.waiting.get(priority)?.values() ?? [])].flat();
  }

  setPriority(): void {
    throw new TypeError('The priority of a waiting call cannot change.');
  }
}

/**
 * Limits this process's calls to upstream: concurrent calls and calls per second. If several processes share a
 * database, each gets an equal share of the limits, but at least two concurrent calls. A process can lend a part of its
 * rate to others for a time; concurrent calls follow the rate, but a call that began on a loan may outlast it.
 *
 * The rate is kept by slices: once enough calls began in one, the slots pause until a timer ends it, so that the system
 * clock does not matter. The rate of a slice is that of its beginning.
 *
 *   sign_in -------------------------------------------------------> slots (all of them) -> call
 *   interactive ------------------------> others (one slot fewer) -^
 *   background, bulk -> background (one fewer again) -^
 *
 * Waiting calls start by priority. With three or more slots, one is reserved for sign-ins; with two or more, one is
 * reserved for calls a person waits for, so that they never queue behind long background calls. A call whose caller
 * has left uses neither a slot nor the rate. Waiting background calls take turns by account, so that no account gets
 * more than its share while others wait. A call that pauses before a retry is not in the queue. The queue is in memory
 * only; after a restart, workers repeat the calls from their tables.
 */
@Injectable()
export class Budget {
  private readonly slots = new PQueue();
  private readonly others = new PQueue();
  private readonly background = new PQueue<TurnQueue, TurnOptions>({ queueClass: TurnQueue });
  private lent = noLoan;
  private borrowed = noLoan;
  /** Of the current slice: calls begun, and the limit of them. */
  private inSlice = 0;
  private starts = 0;
  private slice: NodeJS.Timeout | undefined;
  /** Calls begun by this process. */
  begunCalls = 0;
  /** Calls begun in each part of the last minute, newest part last. */
  private begun: { readonly part: number; readonly counts: Map<Priority, number> }[] = [];

  constructor(
    @Inject(UpstreamConfig) private readonly limits: BudgetLimits,
    @Inject(ThisProcess) private readonly process: Pick<ThisProcess, 'sharers'>,
    private readonly clock: Clock,
  ) {
    this.fitSlots();
  }

  /** Runs `task` when a slot is free. Rejects immediately with the signal's reason if aborted while waiting. */
  run<T>({ priority, account }: Turn, signal: AbortSignal, task: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const gone = new AbortController();
      const giveUp = (): void => {
        gone.abort();
        reject(signal.reason as Error);
      };
      if (signal.aborted) return giveUp();
      signal.addEventListener('abort', giveUp, { once: true });
      const start = async (): Promise<void> => {
        signal.removeEventListener('abort', giveUp);
        this.countBegun(priority);
        this.countInSlice();
        const running = Promise.resolve().then(task);
        resolve(running);
        await running.catch(() => undefined);
      };
      this.admit({ priority, account }, gone.signal, start).catch(() => undefined);
      this.outliveWaiting();
    });
  }

  waiting(priority: Priority): number {
    const filter = { priority: rank[priority] };
    return this.slots.sizeBy(filter) + this.others.sizeBy(filter) + this.background.sizeBy(filter);
  }

  /** Number of calls that began in the last 50 to 60 seconds. */
  beganLately(priority: Priority): number {
    const oldest = this.part() - PARTS;
    const recent = this.begun.filter(({ part }) => part > oldest);
    return recent.reduce((sum, { counts }) => sum + (counts.get(priority) ?? 0), 0);
  }

  get isShort(): boolean {
    return priorities.some((priority) => this.waiting(priority) > 0);
  }

  /** Equal share of this process, whatever it lends or borrows. */
  get share(): BudgetLimits {
    return shareOf(this.limits, this.process.sharers);
  }

  /** Calls a second that this process never lends. */
  get leastKept(): number {
    return this.share.requestsPerSecond * MIN_KEPT;
  }

  /** What this process may use now. */
  get current(): BudgetLimits {
    const now = this.clock.monotonic();
    const { requestsPerSecond: share } = this.share;
    const own = now < this.lent.until ? Math.max(share - this.lent.rate, this.leastKept) : share;
    const withLoan = own + this.borrowed.rate;
    const endsBeforeLoan = now + rateSlice(withLoan).intervalMs < this.borrowed.until;
    return limitsAt(endsBeforeLoan ? withLoan : own, this.limits);
  }

  /** Makes so many calls a second fewer than the share until a monotonic time; replaces what was lent. */
  lend(rate: number, until: number): void {
    this.lent = { rate, until };
    this.fitSlots();
  }

  /** Makes so many calls a second more than the share until a monotonic time; replaces what was borrowed. */
  borrow(rate: number, until: number): void {
    this.borrowed = { rate, until };
    this.fitSlots();
  }

  /** Makes at most so many of the calls that were borrowed. */
  borrowAtMost(rate: number): void {
    this.borrow(Math.min(rate, this.borrowed.rate), this.borrowed.until);
  }

  private countInSlice(): void {
    if (this.slice === undefined) {
      const { starts, intervalMs } = rateSlice(this.current.requestsPerSecond);
      this.starts = starts;
      this.slice = setTimeout(() => this.endSlice(), Math.ceil(intervalMs)).unref();
    }
    this.inSlice += 1;
    if (this.inSlice < this.starts) return;
    this.slots.pause();
    this.outliveWaiting();
  }

  /** A program with nothing else to do must not end before the calls that wait for the next slice. */
  private outliveWaiting(): void {
    if (this.slots.isPaused && this.isShort) this.slice?.ref();
  }

  private endSlice(): void {
    this.slice = undefined;
    this.inSlice = 0;
    this.fitSlots();
    this.slots.start();
  }

  private countBegun(priority: Priority): void {
    this.begunCalls += 1;
    const part = this.part();
    if (this.begun.at(-1)?.part !== part) this.begun = [...this.begun.slice(1 - PARTS), { part, counts: new Map() }];
    const counts = this.begun.at(-1)?.counts;
    counts?.set(priority, (counts.get(priority) ?? 0) + 1);
  }

  private part(): number {
    return Math.floor(this.clock.monotonic() / PART_MS);
  }

  private fitSlots(): void {
    const { maxConcurrency } = this.current;
    this.slots.concurrency = maxConcurrency;
    this.others.concurrency = slotsAfterSignIn(maxConcurrency);
    this.background.concurrency = slotsForBackground(maxConcurrency);
  }

  /** `gone` aborts only while the call waits; the call then does not count against the rate. */
  private admit({ priority, account }: Turn, gone: AbortSignal, start: () => Promise<void>): Promise<void> {
    this.fitSlots();
    const order = { priority: rank[priority], signal: gone };
    if (priority === 'sign_in') return this.slots.add(start, order);
    const inSlots = (): Promise<void> => this.slots.add(start, order);
    if (priority === 'interactive') return this.others.add(inSlots, order);
    return this.background.add(() => this.others.add(inSlots, order), { ...order, account });
  }
}
