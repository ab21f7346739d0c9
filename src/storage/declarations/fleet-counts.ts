import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';

/** A count that takes longer is remembered. */
const LONG_MS = 25;
/** A remembered count is used for so many times as long as it took, so that counting takes one percent of the time. */
const SHARE = 100;
/** A remembered count that is older is not used. */
const OLDEST_MS = 300_000;

/** A count, and when it began, in epoch milliseconds. */
export interface Counted<T> {
  readonly value: T;
  readonly at: number;
}

interface Remembered<T> extends Counted<T> {
  readonly from: number;
  readonly until: number;
  renewing: boolean;
}

/**
 * Counts of all accounts, or of what each of them has. Where there are few, every call counts. A count that takes long
 * is remembered, and made again beside the calls that use it.
 */
@Injectable()
export class FleetCounts {
  private readonly remembered = new Map<string, Remembered<unknown>>();

  constructor(private readonly clock: Clock) {}

  /** Rejects if `count` does and nothing recent is remembered. */
  async of<T>(name: string, count: () => Promise<T>): Promise<Counted<T>> {
    const known = this.remembered.get(name) as Remembered<T> | undefined;
    const now = this.clock.monotonic();
    if (!known || now - known.from > OLDEST_MS) return this.count(name, count);
    if (now >= known.until && !known.renewing) {
      known.renewing = true;
      void this.count(name, count)
        .catch(() => undefined)
        .finally(() => (known.renewing = false));
    }
    return known;
  }

  private async count<T>(name: string, count: () => Promise<T>): Promise<Counted<T>> {
    const at = this.clock.now();
    const from = this.clock.monotonic();
    const value = await count();
    const took = this.clock.monotonic() - from;
    if (took < LONG_MS) this.remembered.delete(name);
    else this.remembered.set(name, { value, at, from, until: from + took + took * SHARE, renewing: false });
    return { value, at };
  }
}
