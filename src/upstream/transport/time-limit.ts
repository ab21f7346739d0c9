import { setMaxListeners } from 'node:events';

const MAX_TIMER_MS = 2_147_483_647;

/** A signal that aborts after a timeout or with another signal. Call `end`, or its timer keeps running. */
export class TimeLimit {
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private readonly endsAt = performance.now() + this.ms;
  private readonly follow = (): void => this.controller.abort(this.parent?.reason);

  constructor(
    readonly ms: number,
    private readonly parent: AbortSignal | undefined,
    reason: () => Error,
  ) {
    this.timer = setTimeout(() => this.controller.abort(reason()), Math.min(ms, MAX_TIMER_MS));
    if (!parent) return;
    // A worker passes one signal to all its calls, and Node would report the many listeners as a leak.
    setMaxListeners(0, parent);
    if (parent.aborted) this.follow();
    else parent.addEventListener('abort', this.follow, { once: true });
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  get remainingMs(): number {
    return Math.max(0, this.endsAt - performance.now());
  }

  end(): void {
    clearTimeout(this.timer);
    this.parent?.removeEventListener('abort', this.follow);
  }
}
