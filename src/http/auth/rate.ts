import type { Clock } from '../../platform/platform/clock.js';
import { recentlyUsed } from '../../platform/platform/recently-used.js';

const WINDOW_MS = 60_000;
export const WINDOW_SECONDS = WINDOW_MS / 1_000;
/** Whoever was not heard of for longest is forgotten first, and begins anew. */
const MOST_CALLERS = 50_000;

export interface Taken {
  /** How many more are let through at once. */
  readonly remaining: number;
  /** Until all of the quota is there again. */
  readonly resetSeconds: number;
  /** Null where this one is let through. */
  readonly retryAfterSeconds: number | null;
}

/**
 * So many a minute for each caller, at once or spread, as a leaking bucket (GCRA): one number for each caller, the
 * instant at which all of the quota is there again.
 */
export class Rate {
  private readonly wholeAgainAt = recentlyUsed<string, number>(MOST_CALLERS);

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
