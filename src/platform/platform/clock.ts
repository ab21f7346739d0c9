/**
 * The only source of time. Everything that compares or stores times takes one, so that tests can own the time. Use
 * `now` for stored and displayed times, and only `monotonic` for durations and freshness, because the machine's clock
 * may be set.
 */
export abstract class Clock {
  /** Epoch milliseconds, an integer. */
  abstract now(): number;

  /** Milliseconds since some instant of this process; never goes back and knows no step of the machine's clock. */
  abstract monotonic(): number;
}

export class SystemClock extends Clock {
  override now(): number {
    return new Date().getTime();
  }

  override monotonic(): number {
    return performance.now();
  }
}
