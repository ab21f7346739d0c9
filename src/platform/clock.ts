/** The only source of "now". Everything that compares or stores times takes one, so that tests can own the time. */
export abstract class Clock {
  /** Epoch milliseconds, an integer. */
  abstract now(): number;
}

export class SystemClock extends Clock {
  override now(): number {
    return new Date().getTime();
  }
}
