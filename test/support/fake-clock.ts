import { Clock } from '../../src/platform/platform/clock.js';

/** What passes from one look at `monotonic` to the next: as by the system's, no time that passed is a whole number. */
const LOOK_MS = 2 ** -20;

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

  /** Somebody sets the machine's clock, forward or back; no time passes. */
  step(ms: number): void {
    this.currentMs += ms;
  }
}
