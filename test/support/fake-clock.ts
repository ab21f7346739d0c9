import { Clock } from '../../src/platform/clock.js';

/** A clock that stands still until it is told otherwise. Time passes by `advance`, and by `set` to a later one. */
export class FakeClock extends Clock {
  private passedMs = 1;

  constructor(private currentMs: number) {
    super();
  }

  override now(): number {
    return this.currentMs;
  }

  override monotonic(): number {
    return this.passedMs;
  }

  advance(ms: number): void {
    this.currentMs += ms;
    this.passedMs += ms;
  }

  set(ms: number): void {
    this.passedMs += Math.max(0, ms - this.currentMs);
    this.currentMs = ms;
  }

  /** Somebody sets the machine's clock, forward or back; no time passes. */
  step(ms: number): void {
    this.currentMs += ms;
  }
}
