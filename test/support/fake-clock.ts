import { Clock } from '../../src/platform/clock.js';

/** A clock that stands still until it is told otherwise. */
export class FakeClock extends Clock {
  constructor(private currentMs: number) {
    super();
  }

  override now(): number {
    return this.currentMs;
  }

  advance(ms: number): void {
    this.currentMs += ms;
  }

  set(ms: number): void {
    this.currentMs = ms;
  }
}
