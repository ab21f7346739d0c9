import type { Clock } from '../../platform/platform/clock.js';
import { recentlyUsed } from '../../platform/platform/recently-used.js';
import { MAX_CALLERS } from './tuning.js';

const WINDOW_MS = 60_000;
export const WINDOW_SECONDS = WINDOW_MS / 1_000;

export interface Taken {
  /** Requests that would be allowed now. */
  readonly remaining: number;
  /** Time until the quota is full again. */
  readonly resetSeconds: number;
  /** Null if this request is allowed. */
  readonly retryAfterSeconds: number | null;
}

/**
 * Requests per minute and caller, evenly or in bursts, as a leaky bucket (GCRA). The state is one number per caller:
 * the time at which its quota is full again.
 */
export class Rate {
  private readonly wholeAgainAt = recentlyUsed<string, number>(MAX_CALLERS);

  constructor(
    private readonly clock: Clock,
    readonly quota: number,
  ) {}

  take(caller: string): Taken {
    const now = this.clock.monotonic();
    const each = WINDOW_MS / this.quota;
    const before = Math.max(now, this.wholeAgainAt.get(caller) ?? now);
    const after = before + each;
    const isWithin = after - now <= WINDOW_MS + 1e-6;
    if (isWithin) this.wholeAgainAt.set(caller, after);
    const used = (isWithin ? after : before) - now;
    return {
      remaining: Math.max(0, Math.floor((WINDOW_MS - used) / each + 1e-6)),
      resetSeconds: Math.ceil(used / 1_000),
      retryAfterSeconds: isWithin ? null : Math.max(1, Math.ceil((after - now - WINDOW_MS) / 1_000)),
    };
  }
}
