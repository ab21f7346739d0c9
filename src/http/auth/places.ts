import PQueue from 'p-queue';
import { AppError } from '../../platform/platform/errors.js';
import { type TurnOptions, TurnQueue } from '../../upstream/transport/budget.js';

export interface PlaceLimits {
  /** Requests worked on at a time. */
  readonly atOnce: number;
  /** Requests that wait for that, of all callers. */
  readonly waiting: number;
  /** Of one caller, in hand and waiting together. */
  readonly share: number;
}

/**
 * Places for requests of one kind. Who finds none waits in turn, by caller; a caller has a share of its own, in hand
 * and waiting together. What waits is in memory alone and ends with the connection it came by.
 */
export class Places {
  private readonly queue: PQueue<TurnQueue, TurnOptions>;
  /** By caller; none that holds nothing. */
  private readonly held = new Map<string, number>();
  private waitingNow = 0;

  constructor(private readonly limits: PlaceLimits) {
    this.queue = new PQueue({ concurrency: limits.atOnce, queueClass: TurnQueue });
  }

  get waiting(): number {
    return this.waitingNow;
  }

  /**
   * Waits for a place; call the answer to give it back. Throws `rate_limited` when the caller's share is taken, `busy`
   * when too many wait, and the reason of `left` when that aborts first.
   */
  async enter(caller: string, left: AbortSignal): Promise<() => void> {
    left.throwIfAborted();
    const held = this.held.get(caller) ?? 0;
    if (held >= this.limits.share) {
      const options = { retryAfterSeconds: 1, reason: 'share' };
      throw new AppError('rate_limited', 'Too many requests of this caller are under way.', options);
    }
    if (this.waitingNow >= this.limits.waiting) {
      throw new AppError('busy', 'Too many requests wait already.', { retryAfterSeconds: 1 });
    }
    this.held.set(caller, held + 1);
    try {
      const release = await this.turn(caller, left);
      return () => {
        release();
        this.giveBack(caller);
      };
    } catch (error) {
      this.giveBack(caller);
      throw error;
    }
  }

  private async turn(account: string, left: AbortSignal): Promise<() => void> {
    const gone = new AbortController();
    this.waitingNow += 1;
    let leave: () => void = () => undefined;
    try {
      return await new Promise<() => void>((resolve, reject) => {
        leave = () => {
          gone.abort();
          reject(left.reason as Error);
        };
        left.addEventListener('abort', leave, { once: true });
        const hold = (): Promise<void> => new Promise((release) => resolve(release));
        this.queue.add(hold, { account, signal: gone.signal }).catch(() => undefined);
      });
    } finally {
      this.waitingNow -= 1;
      left.removeEventListener('abort', leave);
    }
  }

  private giveBack(caller: string): void {
    const held = (this.held.get(caller) ?? 1) - 1;
    if (held > 0) this.held.set(caller, held);
    else this.held.delete(caller);
  }
}
