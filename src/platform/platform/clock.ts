/**
 * The only source of time, injected wherever times are compared or stored, so that tests can set it. Use `now` for
 * stored and displayed times, and `monotonic` for durations and freshness, because the system clock may be set.
 */
export abstract class Clock {
  /** Epoch milliseconds, an integer. */
  abstract now(): number;

  /**
   * Milliseconds since an arbitrary instant in this process; never goes back, and is not affected when the system clock
   * is set.
   */
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
