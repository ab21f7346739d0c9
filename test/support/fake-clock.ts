import { Clock } from '../../src/platform/platform/clock.js';

/** Time that passes between two reads of `monotonic`: like with the system's clock, no duration is an integer. */
const LOOK_MS = 2 ** -20;

/** A clock that stands still. Time passes with `advance`, and with `set` to a later time. */
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

  /** Sets the machine's clock forward or back; no time passes. */
  step(ms: number): void {
    this.currentMs += ms;
  }
}
