import { Injectable } from '@nestjs/common';
import { Log } from '../platform/log.js';
import { Metrics } from '../platform/metrics.js';

/** What happens to keys, as a line of the log and a count; never the key, nor whose it was. */
@Injectable()
export class PersonKeysTelemetry {
  private readonly destroyed;
  private readonly sealed;

  constructor(
    private readonly log: Log,
    metrics: Metrics,
  ) {
    this.destroyed = metrics.counter('person_keys_destroyed_total', 'Keys destroyed, by kind', ['kind']);
    this.sealed = metrics.counter('person_keys_sealed_rows_total', 'Rows from before there were keys, sealed since');
  }

  personKeyDestroyed(): void {
    this.destroyed.inc({ kind: 'person' });
    this.log.event('person_keys.destroyed', { kind: 'person', count: 1 });
  }

  periodKeysDestroyed(count: number): void {
    this.destroyed.inc({ kind: 'period' }, count);
    this.log.event('person_keys.destroyed', { kind: 'period', count });
  }

  rowsSealed(count: number): void {
    this.sealed.inc(count);
    this.log.event('person_keys.rows_sealed', { count });
  }
}
