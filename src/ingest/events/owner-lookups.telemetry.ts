import { Injectable } from '@nestjs/common';
import { loggable } from '../../platform/platform/errors.js';
import { Log } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';

/** Log lines and counters for lookups. */
@Injectable()
export class OwnerLookupsTelemetry {
  private readonly outcomes;

  constructor(
    private readonly log: Log,
    metrics: Metrics,
  ) {
    this.outcomes = metrics.counter('owner_lookups_total', 'Lookups of unknown users of events by outcome', [
      'outcome',
    ]);
  }

  found(): void {
    this.outcomes.inc({ outcome: 'found' });
  }

  deferred(code: string, delayMs: number, error: unknown): void {
    this.outcomes.inc({ outcome: 'retry' });
    this.log.event('owner_lookup.deferred', { code, delay_ms: delayMs, ...loggable(error) }, 'warn');
  }

  refused(code: string, error: unknown): void {
    this.outcomes.inc({ outcome: 'refused' });
    this.log.event('owner_lookup.refused', { code, ...loggable(error) }, 'warn');
  }
}
