import { Clock } from '../../src/platform/platform/clock.js';

/** Time between two reads of `monotonic`, so that no duration is an integer, as with a real clock. */
const LOOK_MS = 2 ** -20;

/** A clock that stands still until `advance`, or `set` to a later time. */
export class FakeClock extends Clock {
  private passedMs = 1;

  constructor(private currentMs: number) {
    super();
  }

  override now(): number {
    return this.currentMs;
  }

  override monotonic(): number {
    return (this.passedMs += LOOK_MS);
  }

  advance(ms: number): void {
    this.currentMs += ms;
    this.passedMs += ms;
  }

  set(ms: number): void {
    this.passedMs += Math.max(0, ms - this.currentMs);
    this.currentMs = ms;
  }

  /** Sets the system clock forward or back; no time passes. */
  step(ms: number): void {
    this.currentMs += ms;
  }
}
