import { Injectable } from '@nestjs/common';
import type { Disconnected } from '../../accounts/connections/connections.service.js';
import { describeError } from '../../platform/platform/errors.js';
import { Log } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';

/** Log lines and metrics for polls of accounts' sources. */
@Injectable()
export class SourcePollsTelemetry {
  private readonly polls;
  private readonly disconnections;

  constructor(
    private readonly log: Log,
    metrics: Metrics,
  ) {
    this.polls = metrics.counter('source_polls_total', "Polls of accounts' sources", ['outcome']);
    this.disconnections = metrics.counter(
      'source_disconnections_total',
      'Requests to disconnect a source that upstream granted',
      ['outcome'],
    );
  }

  /** `cutOff`: why not all of upstream's pulls were read. */
  polled(accountId: number, cutOff: string | null): void {
    this.polls.inc({ outcome: cutOff === null ? 'done' : 'cut_off' });
    if (cutOff === null) this.log.event('sync.sources_polled', { account_ref: accountId }, 'debug');
    else this.log.event('sync.poll_cut_off', { account_ref: accountId, code: cutOff }, 'warn');
  }

  disconnected(accountId: number, outcome: Disconnected['outcome']): void {
    this.disconnections.inc({ outcome });
    this.log.event('sync.source_disconnected', { account_ref: accountId, outcome });
  }

  /** The account's user is gone upstream. */
  ended(accountId: number): void {
    this.polls.inc({ outcome: 'ended' });
    this.log.event('sync.polls_ended', { account_ref: accountId }, 'warn');
  }

  deferred(accountId: number, code: string, delayMs: number, error?: unknown): void {
    this.polls.inc({ outcome: 'deferred' });
    this.log.event(
      'sync.poll_deferred',
      { ...causeOf(error), account_ref: accountId, code, delay_ms: delayMs },
      'warn',
    );
  }

  prioritiesDeferred(code: string, delayMs: number, error?: unknown): void {
    this.log.event('sync.priorities_deferred', { ...causeOf(error), code, delay_ms: delayMs }, 'warn');
  }
}

function causeOf(error: unknown): { error?: string; kind?: string; at?: string } {
  const { error: name, kind, at } = error === undefined ? {} : describeError(error);
  return { ...(name && { error: name }), ...(kind && { kind }), ...(at && { at }) };
}
