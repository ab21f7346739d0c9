import type { Clock } from './clock.js';
import { MINUTE_MS } from './time.js';

/** Limits log lines about events that strangers can cause at any rate to one per minute and key. */
export class LinePerMinute<Key> {
  private readonly lines = new Map<Key, { readonly at: number; unlogged: number }>();

  constructor(private readonly clock: Clock) {}

  /** Number of events that a line written now covers; null if the last line is less than a minute old. */
  count(key: Key): number | null {
    const now = this.clock.monotonic();
    const last = this.lines.get(key);
    if (last && now - last.at < MINUTE_MS) {
      last.unlogged += 1;
      return null;
    }
    this.lines.set(key, { at: now, unlogged: 0 });
    return 1 + (last?.unlogged ?? 0);
  }
}
