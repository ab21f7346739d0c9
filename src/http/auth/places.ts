import { AppError } from '../../platform/platform/errors.js';

export interface PlaceLimits {
  /** Requests handled concurrently; one caller gets at most a quarter of them. */
  readonly atOnce: number;
  /** Requests of all callers that may wait for a slot. */
  readonly waiting: number;
  /** Open requests of one caller, from their headers to the end of their responses. */
  readonly share: number;
}

interface Caller {
  open: number;
  running: number;
  /** Each starts a request. */
  readonly waiting: (() => void)[];
}

/**
 * Slots for requests of one kind, in memory. A request is open from its headers to the end of its response, but holds a
 * slot only while its handler runs, so a caller that sends or reads slowly holds none. Callers take turns.
 */
export class Places {
  private readonly callers = new Map<string, Caller>();
  /** Callers with waiting requests; the first one is next. */
  private readonly turns = new Set<Caller>();
  private readonly ofOneCaller = Math.max(1, Math.floor(this.limits.atOnce / 4));
  private runningNow = 0;
  private waitingNow = 0;

  constructor(private readonly limits: PlaceLimits) {}

  get running(): number {
    return this.runningNow;
  }

  get waiting(): number {
    return this.waitingNow;
  }

  get isFull(): boolean {
    return this.runningNow >= this.limits.atOnce;
  }

  /** Counts an open request. Call the result when its response has closed. Throws `rate_limited` over the share. */
  open(name: string): () => void {
    const caller = this.callers.get(name) ?? { open: 0, running: 0, waiting: [] };
    if (caller.open >= this.limits.share) {
      const options = { retryAfterSeconds: 1, reason: 'share' };
      throw new AppError('rate_limited', `This caller already has ${caller.open} open requests of this kind.`, options);
    }
    this.callers.set(name, caller);
    caller.open += 1;
    return () => {
      caller.open -= 1;
      this.forget(name, caller);
    };
  }

  /**
   * Waits for a slot. Call the result to release it. Throws `busy` if too many requests are waiting, and the reason of
   * `left` if that aborts first.
   */
  async enter(name: string, left: AbortSignal): Promise<() => void> {
    left.throwIfAborted();
    const caller = this.callers.get(name) ?? { open: 0, running: 0, waiting: [] };
    this.callers.set(name, caller);
    try {
      if (this.isFull || caller.running >= this.ofOneCaller) await this.turn(caller, left);
      else this.begin(caller);
    } catch (error) {
      this.forget(name, caller);
      throw error;
    }
    return () => {
      caller.running -= 1;
      this.runningNow -= 1;
      this.next();
      this.forget(name, caller);
    };
  }

  private turn(caller: Caller, left: AbortSignal): Promise<void> {
    if (this.waitingNow >= this.limits.waiting) {
      throw new AppError('busy', 'Too many requests are waiting.', { retryAfterSeconds: 1 });
    }
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        caller.waiting.splice(caller.waiting.indexOf(begin), 1);
        if (caller.waiting.length === 0) this.turns.delete(caller);
        this.waitingNow -= 1;
        reject(left.reason as Error);
      };
      const begin = (): void => {
        left.removeEventListener('abort', leave);
        resolve();
      };
      left.addEventListener('abort', leave, { once: true });
      caller.waiting.push(begin);
      this.turns.add(caller);
      this.waitingNow += 1;
    });
  }

  private begin(caller: Caller): void {
    caller.running += 1;
    this.runningNow += 1;
  }

  /** Gives free slots to waiting callers in turn, and skips callers that already have their quarter. */
  private next(): void {
    for (const caller of this.turns) {
      if (this.isFull) return;
      if (caller.running >= this.ofOneCaller) continue;
      const begin = caller.waiting.shift();
      this.turns.delete(caller);
      if (caller.waiting.length > 0) this.turns.add(caller);
      this.waitingNow -= 1;
      this.begin(caller);
      begin?.();
    }
  }

  private forget(name: string, { open, running, waiting }: Caller): void {
    if (open === 0 && running === 0 && waiting.length === 0) this.callers.delete(name);
  }
}
