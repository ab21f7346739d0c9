import { Inject, Injectable } from '@nestjs/common';
import PQueue, { type QueueAddOptions } from 'p-queue';
import { UpstreamConfig } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import { ThisProcess } from '../../platform/platform/this-process.js';

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
const SLICES_PER_SECOND = 10;
/**
 * Smaller backward steps of the clock are ignored. Larger ones restart the rate, because `PQueue` computes the end of a
 * slice from the clock and would wait too long.
 */
const STEP_BACK_MS = 200;

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

/** One process's share of the budget when `sharers` processes use it. */
export function shareOf({ maxConcurrency, requestsPerSecond }: BudgetLimits, sharers: number): BudgetLimits {
  return {
    maxConcurrency: Math.max(Math.min(2, maxConcurrency), Math.floor(maxConcurrency / sharers)),
    requestsPerSecond: requestsPerSecond / sharers,
  };
}

function slotsAfterSignIn(maxConcurrency: number): number {
  return maxConcurrency >= 3 ? maxConcurrency - 1 : maxConcurrency;
}

/** Concurrent background and bulk calls: what is left after the slots reserved for sign-ins and people. */
export function slotsForBackground(maxConcurrency: number): number {
  return Math.max(1, slotsAfterSignIn(maxConcurrency) - 1);
}

function slotsOf(limits: BudgetLimits, sharers: number): PQueue {
  const { maxConcurrency: concurrency, requestsPerSecond } = shareOf(limits, sharers);
  const { starts, intervalMs } = rateSlice(requestsPerSecond);
  return new PQueue({ concurrency, intervalCap: starts, interval: intervalMs });
}

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
 * database, each gets an equal share of the limits, but at least two concurrent calls.
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
  private sharers = this.process.sharers;
  private slots = slotsOf(this.limits, this.sharers);
  private readonly others = new PQueue({ concurrency: slotsAfterSignIn(this.slots.concurrency) });
  private readonly background = new PQueue<TurnQueue, TurnOptions>({
    concurrency: slotsForBackground(this.slots.concurrency),
    queueClass: TurnQueue,
  });
  /** Calls begun in each part of the last minute, newest part last. */
  private begun: { readonly part: number; readonly counts: Map<Priority, number> }[] = [];
  /** Difference between the wall clock and the monotonic clock at the last call. */
  private ahead = this.clock.now() - this.clock.monotonic();

  constructor(
    @Inject(UpstreamConfig) private readonly limits: BudgetLimits,
    @Inject(ThisProcess) private readonly process: Pick<ThisProcess, 'sharers'>,
    private readonly clock: Clock,
  ) {}

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
        const running = Promise.resolve().then(task);
        resolve(running);
        await running.catch(() => undefined);
      };
      this.admit({ priority, account }, gone.signal, start).catch(() => undefined);
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

  /** This process's share of the limits. */
  get share(): BudgetLimits {
    return shareOf(this.limits, this.process.sharers);
  }

  private countBegun(priority: Priority): void {
    const part = this.part();
    if (this.begun.at(-1)?.part !== part) this.begun = [...this.begun.slice(1 - PARTS), { part, counts: new Map() }];
    const counts = this.begun.at(-1)?.counts;
    counts?.set(priority, (counts.get(priority) ?? 0) + 1);
  }

  private part(): number {
    return Math.floor(this.clock.monotonic() / PART_MS);
  }

  /**
   * Restarts the rate if the number of sharing processes changed or the clock was set back. The few calls already in
   * the old queue keep the old rate or end at their deadline.
   */
  private updateShare(): void {
    const ahead = this.clock.now() - this.clock.monotonic();
    const wasSetBack = ahead < this.ahead - STEP_BACK_MS;
    this.ahead = ahead;
    if (this.process.sharers === this.sharers && !wasSetBack) return;
    this.sharers = this.process.sharers;
    this.slots = slotsOf(this.limits, this.sharers);
    this.others.concurrency = slotsAfterSignIn(this.slots.concurrency);
    this.background.concurrency = slotsForBackground(this.slots.concurrency);
  }

  /** `gone` aborts only while the call waits; the call then does not count against the rate. */
  private admit({ priority, account }: Turn, gone: AbortSignal, start: () => Promise<void>): Promise<void> {
    this.updateShare();
    const order = { priority: rank[priority], signal: gone };
    if (priority === 'sign_in') return this.slots.add(start, order);
    const inSlots = (): Promise<void> => this.slots.add(start, order);
    if (priority === 'interactive') return this.others.add(inSlots, order);
    return this.background.add(() => this.others.add(inSlots, order), { ...order, account });
  }
}
