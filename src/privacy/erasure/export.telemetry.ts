import { Injectable } from '@nestjs/common';
import { loggable } from '../../platform/platform/errors.js';
import { Log } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';

/** Log lines and counts about exports. */
@Injectable()
export class ExportTelemetry {
  private readonly outcomes;

  constructor(
    private readonly log: Log,
    metrics: Metrics,
  ) {
    this.outcomes = metrics.counter('exports_total', 'Exports of accounts by outcome', ['outcome']);
  }

  /** `cut`: without its footer, because something failed or the caller hung up. */
  ended(accountRef: number, outcome: 'whole' | 'cut', count: number): void {
    this.outcomes.inc({ outcome });
    this.log.event('export.ended', { account_ref: accountRef, outcome, count }, outcome === 'cut' ? 'warn' : 'info');
  }

  failed(accountRef: number, error: unknown): void {
    this.log.event('export.failed', { account_ref: accountRef, ...loggable(error) }, 'error');
  }
}
