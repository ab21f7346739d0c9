import type { LogLevel } from '../config/config.js';
import type { Log, LogEvent, LogFields } from './log.js';
import type { Metrics } from './metrics.js';

/** A counter by `outcome`, with an optional log line. */
export class Outcomes {
  private readonly counter;

  constructor(
    private readonly log: Log,
    metrics: Metrics,
    name: string,
    help: string,
  ) {
    this.counter = metrics.counter(name, help, ['outcome']);
  }

  note(outcome: string, event?: LogEvent, fields?: LogFields, level?: LogLevel): void {
    this.counter.inc({ outcome });
    if (event !== undefined) this.log.event(event, fields, level);
  }
}
