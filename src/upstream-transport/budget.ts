import PQueue, { type QueueAddOptions } from 'p-queue';

/** Who waits: a person, work somebody will look at soon, or work nobody waits for. */
export const priorities = ['interactive', 'background', 'bulk'] as const;
export type Priority = (typeof priorities)[number];

const rank: Record<Priority, number> = { interactive: 2, background: 1, bulk: 0 };
const SLICES_PER_SECOND = 10;

/**
 * The rate as small slices, so that nobody waits a whole second for the next one: at most `starts` calls begin in each
 * `intervalMs`. Exact for any rate; from 10 per second up a slice is shorter than 200 ms.
 */
export function rateSlice(requestsPerSecond: number): { starts: number; intervalMs: number } {
  const starts = Math.max(1, Math.floor(requestsPerSecond / SLICES_PER_SECOND));
  return { starts, intervalMs: (starts * 1000) / requestsPerSecond };
}

/** Who waits for a turn, and for which account. */
export interface Turn {
  readonly priority: Priority;
  readonly account?: number | undefined;
}

type Run = () => Promise<unknown>;

interface TurnOptions extends QueueAddOptions {
  readonly priority?: number;
  /** Whom the call is for. Calls for nobody take turns with the accounts, together as one. */
  readonly account?: number | undefined;
}

/**
 * What waits in a `PQueue`: higher priorities first, and of one priority the accounts take turns, so that many calls of
 * one account hold up nobody else's next.
 */
class TurnQueue {
  /** Calls by priority and account; the account whose turn is next stands first. */
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
    throw new TypeError('A call keeps its priority.');
  }
}

/**
 * The one allowance of calls to upstream, shared by everything in the process: so many at a time, so many a second.
 *
 *   interactive -------------------------------> slots (all of them) -> call
 *   background, bulk -> shared (one slot fewer) -^
 *
 * A waiting call of higher priority starts before any of lower priority, and with more than one slot the last is kept
 * for persons, who so never wait behind long calls of the machinery. Calls of the machinery that wait take turns by
 * account, so that no account gets more than its share while others wait. A call that waits to be retried is not in here.
 * Nothing outlives the process: what was queued is asked for again from the tables.
 */
export class Budget {
  private readonly slots: PQueue;
  private readonly shared: PQueue<TurnQueue, TurnOptions>;

  constructor(limits: { maxConcurrency: number; requestsPerSecond: number }) {
    const { starts, intervalMs } = rateSlice(limits.requestsPerSecond);
    this.slots = new PQueue({ concurrency: limits.maxConcurrency, intervalCap: starts, interval: intervalMs });
    this.shared = new PQueue({ concurrency: Math.max(1, limits.maxConcurrency - 1), queueClass: TurnQueue });
  }

  /** Runs `task` when it is its turn. Rejects at once with the signal's reason if that aborts while still waiting. */
  run<T>({ priority, account }: Turn, signal: AbortSignal, task: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const giveUp = (): void => reject(signal.reason as Error);
      if (signal.aborted) return giveUp();
      signal.addEventListener('abort', giveUp, { once: true });
      const start = async (): Promise<void> => {
        if (signal.aborted) return;
        signal.removeEventListener('abort', giveUp);
        const running = Promise.resolve().then(task);
        resolve(running);
        await running.catch(() => undefined);
      };
      void this.admit({ priority, account }, signal, start);
    });
  }

  /** Calls that wait for their turn. */
  waiting(priority: Priority): number {
    const filter = { priority: rank[priority] };
    return this.slots.sizeBy(filter) + this.shared.sizeBy(filter);
  }

  private admit({ priority, account }: Turn, signal: AbortSignal, start: () => Promise<void>): Promise<void> {
    const order = { priority: rank[priority] };
    if (priority === 'interactive') return this.slots.add(start, order);
    const admitted = async (): Promise<void> => {
      if (!signal.aborted) await this.slots.add(start, order);
    };
    return this.shared.add(admitted, { ...order, account });
  }
}
