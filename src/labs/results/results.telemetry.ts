import { Injectable } from '@nestjs/common';
import { loggable } from '../../platform/platform/errors.js';
import { Log } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';
import type { ResultScope, ResultSubject } from '../orders/result-subject.js';
import type { ResultForm } from './lab-result.entity.js';
import type { ResultOutcome } from './store-result.js';

/** Outcome of a request for a result. */
type ReadOutcome = 'fresh' | 'stale' | 'withdrawn' | 'stored_version' | 'not_ready' | 'refused';

/**
 * `stored`: from the database, while upstream is unavailable. `left`: the caller disconnected. `unrecorded`: delivered,
 * but its checksum could not be stored.
 */
type PdfOutcome = 'streamed' | 'stored' | 'broken' | 'left' | 'unrecorded';

/** Logs and counts results, never their content. */
@Injectable()
export class ResultsTelemetry {
  private readonly stores;
  private readonly reads;
  private readonly pdfs;
  private readonly fetches;

  constructor(
    private readonly log: Log,
    metrics: Metrics,
  ) {
    this.stores = metrics.counter('results_stored_total', 'Results read from upstream, by whether they were new', [
      'scope',
      'form',
      'outcome',
    ]);
    this.reads = metrics.counter('result_reads_total', 'Requests for results by outcome', ['scope', 'outcome']);
    this.pdfs = metrics.counter('result_pdfs_total', 'Downloads of result PDFs by outcome', ['scope', 'outcome']);
    this.fetches = metrics.counter('result_fetches_total', 'Background fetches of results by outcome', ['outcome']);
  }

  stored({ scope, id }: ResultSubject, form: ResultForm, outcome: ResultOutcome): void {
    this.stores.inc({ scope, form, outcome });
    if (outcome === 'first' || outcome === 'changed') {
      this.log.event('order.result_stored', { ...refOf({ scope, id }), kind: form, outcome });
    }
  }

  withdrawn(subject: ResultSubject, form: ResultForm): void {
    this.stores.inc({ scope: subject.scope, form, outcome: 'withdrawn' });
    this.log.event('order.result_withdrawn', { ...refOf(subject), kind: form }, 'warn');
  }

  read(scope: ResultScope, outcome: Exclude<ReadOutcome, 'refused'>): void {
    this.reads.inc({ scope, outcome });
  }

  /** Notes that upstream returned another person's result, or a transaction with orders of several people. */
  refused(scope: ResultScope): void {
    this.reads.inc({ scope, outcome: 'refused' });
    this.log.event('order.result_refused', { kind: scope }, 'error');
  }

  pdf({ scope, id }: ResultSubject, outcome: PdfOutcome, error?: unknown): void {
    this.pdfs.inc({ scope, outcome });
    if (outcome === 'streamed' || outcome === 'stored' || outcome === 'left') return;
    this.log.event('order.result_pdf_failed', { ...refOf({ scope, id }), ...loggable(error), outcome }, 'warn');
  }

  fetched(): void {
    this.fetches.inc({ outcome: 'fetched' });
  }

  /** `delayMs` is null if the row was buried. */
  fetchDeferred(subject: ResultSubject, error: unknown, delayMs: number | null): void {
    this.fetches.inc({ outcome: delayMs === null ? 'given_up' : 'deferred' });
    const facts = { ...refOf(subject), ...loggable(error), delay_ms: delayMs ?? undefined };
    this.log.event('order.result_fetch_deferred', facts, 'warn');
  }
}

function refOf({ scope, id }: ResultSubject): { order_ref: string } | { order_transaction_ref: string } {
  return scope === 'order' ? { order_ref: id } : { order_transaction_ref: id };
}
