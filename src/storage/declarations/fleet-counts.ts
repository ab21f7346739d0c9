import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { COUNT_REUSE, LONG_COUNT_MS, MAX_COUNT_AGE_MS } from '../database/tuning.js';

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
    if (!known || now - known.from > MAX_COUNT_AGE_MS) return this.count(name, count);
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
    if (took < LONG_COUNT_MS) this.remembered.delete(name);
    else this.remembered.set(name, { value, at, from, until: from + took + took * COUNT_REUSE, renewing: false });
    return { value, at };
  }
}
