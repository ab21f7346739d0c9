import { recentlyUsed } from '../caches/recently-used.js';
import type { Clock } from '../platform/clock.js';

/** So many refusals of a minute are answered at once. */
const PATIENCE = 20;
const PATIENCE_MS = 60_000;
/** Those after them are answered one by one, so far apart, within these bounds. */
const EACH_MS = 10;
const HELD_MS = { least: 500, most: 10_000 } as const;
const MOST_CALLERS = 50_000;

interface Refused {
  readonly count: number;
  /** When the last of them was or is to be answered, by the monotonic clock. */
  readonly answerAt: number;
}

/**
 * How long the refusals of a caller who goes on asking are held before they are answered: however many connections the
 * caller has, about a hundred a second are, so asking again at once costs the caller more than us.
 */
export class Refusals {
  private readonly callers = recentlyUsed<string, Refused>(MOST_CALLERS);

  constructor(private readonly clock: Clock) {}

  /** Counts a refusal; answers the milliseconds for which it is to be held. */
  holdMs(caller: string): number {
    const now = this.clock.monotonic();
    const { count, answerAt } = this.known(caller, now);
    const isHeld = count >= PATIENCE;
    const next = isHeld ? Math.max(now + HELD_MS.least, Math.min(now + HELD_MS.most, answerAt + EACH_MS)) : now;
    this.callers.set(caller, { count: count + 1, answerAt: next });
    return next - now;
  }

  private known(caller: string, now: number): Refused {
    const refused = this.callers.get(caller);
    return refused && now - refused.answerAt <= PATIENCE_MS ? refused : { count: 0, answerAt: now };
  }
}
