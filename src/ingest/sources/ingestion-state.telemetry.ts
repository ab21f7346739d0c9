import { Injectable } from '@nestjs/common';
import { describeError } from '../../platform/platform/errors.js';
import { Log } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';
import type { Finding } from './next-pull.js';

/** Metrics and log lines of the walk over upstream's ingestion. */
@Injectable()
export class IngestionStateTelemetry {
  private readonly streams;
  private readonly walks;

  constructor(
    private readonly log: Log,
    metrics: Metrics,
  ) {
    this.streams = metrics.counter('ingestion_streams_total', "Streams compared with upstream's ingestion", [
      'finding',
    ]);
    this.walks = metrics.counter('ingestion_walks_total', "Walks over upstream's ingestion", ['outcome']);
  }

  found(finding: Finding): void {
    this.streams.inc({ finding });
  }

  walked(pages: number): void {
    this.walks.inc({ outcome: 'done' });
    this.log.event('sync.ingestion_walked', { pages }, 'debug');
  }

  cutOff(code: string): void {
    this.walks.inc({ outcome: 'cut_off' });
    this.log.event('sync.ingestion_cut_off', { code }, 'warn');
  }

  deferred(code: string, delayMs: number, error: unknown): void {
    this.walks.inc({ outcome: 'deferred' });
    const { error: name, kind, at } = describeError(error);
    const cause = { ...(name && { error: name }), ...(kind && { kind }), ...(at && { at }) };
    this.log.event('sync.ingestion_deferred', { ...cause, code, delay_ms: delayMs }, 'warn');
  }
}
