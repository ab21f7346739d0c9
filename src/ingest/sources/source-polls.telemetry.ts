import { Injectable } from '@nestjs/common';
import type { Disconnected } from '../../accounts/connections/connections.service.js';
import { loggable } from '../../platform/platform/errors.js';
import { Log } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';
import { Outcomes } from '../../platform/platform/outcomes.js';

@Injectable()
export class SourcePollsTelemetry {
  private readonly polls;
  private readonly disconnections;

  constructor(log: Log, metrics: Metrics) {
    this.polls = new Outcomes(log, metrics, 'source_polls_total', "Polls of accounts' sources");
    const help = 'Sources disconnected upstream on request';
    this.disconnections = new Outcomes(log, metrics, 'source_disconnections_total', help);
  }

  /** `cutOff`: why some of upstream's pulls were not read; null if all were. */
  polled(account_ref: number, cutOff: string | null): void {
    if (cutOff === null) this.polls.note('done', 'sync.sources_polled', { account_ref }, 'debug');
    else this.polls.note('cut_off', 'sync.poll_cut_off', { account_ref, code: cutOff }, 'warn');
  }

  disconnected(account_ref: number, outcome: Disconnected['outcome']): void {
    this.disconnections.note(outcome, 'sync.source_disconnected', { account_ref, outcome });
  }

  /** The account's user is gone upstream. */
  ended(account_ref: number): void {
    this.polls.note('ended', 'sync.polls_ended', { account_ref }, 'warn');
  }

  deferred(account_ref: number, code: string, delay_ms: number, error?: unknown): void {
    const fields = { ...(error !== undefined && loggable(error)), account_ref, code, delay_ms };
    this.polls.note('deferred', 'sync.poll_deferred', fields, 'warn');
  }
}
