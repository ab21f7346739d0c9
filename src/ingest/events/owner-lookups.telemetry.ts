import { Injectable } from '@nestjs/common';
import { loggable } from '../../platform/platform/errors.js';
import { Log } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';
import { Outcomes } from '../../platform/platform/outcomes.js';

@Injectable()
export class OwnerLookupsTelemetry {
  private readonly outcomes: Outcomes;

  constructor(log: Log, metrics: Metrics) {
    this.outcomes = new Outcomes(log, metrics, 'owner_lookups_total', 'Lookups of unknown event users by outcome');
  }

  found(): void {
    this.outcomes.note('found');
  }

  deferred(code: string, delay_ms: number, error: unknown): void {
    this.outcomes.note('retry', 'owner_lookup.deferred', { code, delay_ms, ...loggable(error) }, 'warn');
  }

  refused(code: string, error: unknown): void {
    this.outcomes.note('refused', 'owner_lookup.refused', { code, ...loggable(error) }, 'warn');
  }
}
