import PQueue from 'p-queue';

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

/**
 * The one allowance of calls to upstream, shared by everything in the process: so many at a time, so many a second.
 *
 *   interactive -------------------------------> slots (all of them) -> call
 *   background, bulk -> shared (one slot fewer) -^
 *
 * A waiting call of higher priority starts before any of lower priority, and with more than one slot the last is kept
 * for persons, who so never wait behind long calls of the machinery. A call that waits to be retried is not in here.
 * Nothing outlives the process: what was queued is asked for again from the tables.
 */
export class Budget {
  private readonly slots: PQueue;
  private readonly shared: PQueue;

  constructor(limits: { maxConcurrency: number; requestsPerSecond: number }) {
    const { starts, intervalMs } = rateSlice(limits.requestsPerSecond);
    this.slots = new PQueue({ concurrency: limits.maxConcurrency, intervalCap: starts, interval: intervalMs });
    this.shared = new PQueue({ concurrency: Math.max(1, limits.maxConcurrency - 1) });
  }

  /** Runs `task` when it is its turn. Rejects at once with the signal's reason if that aborts while still waiting. */
  run<T>(priority: Priority, signal: AbortSignal, task: () => Promise<T>): Promise<T> {
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
      void this.admit(priority, signal, start);
    });
  }

  /** Calls that wait for their turn. */
  waiting(priority: Priority): number {
    const filter = { priority: rank[priority] };
    return this.slots.sizeBy(filter) + this.shared.sizeBy(filter);
  }

  private admit(priority: Priority, signal: AbortSignal, start: () => Promise<void>): Promise<void> {
    const order = { priority: rank[priority] };
    if (priority === 'interactive') return this.slots.add(start, order);
    return this.shared.add(async () => {
      if (!signal.aborted) await this.slots.add(start, order);
    }, order);
  }
}
