import { Injectable } from '@nestjs/common';
import type { Clock } from '../platform/clock.js';
import { describeError, type ErrorCode, loggable } from '../platform/errors.js';
import { Log, type LogFields } from '../platform/log.js';
import { Metrics } from '../platform/metrics.js';
import type { InboxFigures } from './messages.repository.js';

/** The message an event line is about. */
export interface MessageFacts {
  readonly messageId: string;
  readonly eventType: string | null;
  readonly account: number | null;
  readonly attempts: number;
}

/** What happens to messages, as a line of the log and a count. */
@Injectable()
export class InboxTelemetry {
  private readonly receipts;
  private readonly outcomes;
  private readonly durations;
  private readonly dropped;

  constructor(
    private readonly log: Log,
    private readonly metrics: Metrics,
  ) {
    this.receipts = metrics.counter('messages_received_total', 'Deliveries by outcome', ['outcome']);
    this.outcomes = metrics.counter('messages_processed_total', 'Attempts to process a message by outcome', [
      'outcome',
    ]);
    this.dropped = metrics.counter('message_bodies_dropped_total', 'Bodies of finished messages dropped by retention');
    this.durations = metrics.histogram('message_apply_seconds', 'From the parsed message to its committed effect');
  }

  received(stored: 'new' | 'duplicate'): void {
    this.receipts.inc({ outcome: stored });
  }

  /** Of a request that was not verified only our own id of it is logged. */
  refused(code: ErrorCode, requestId: string, error: unknown): void {
    this.receipts.inc({ outcome: code });
    this.log.event('webhook.refused', { ...describeError(error), code, request_id: requestId }, 'warn');
  }

  done(message: MessageFacts, seconds: number): void {
    this.outcomes.inc({ outcome: 'done' });
    this.durations.observe(seconds);
    this.log.event('inbox.message_done', fieldsOf(message), 'debug');
  }

  ignored(message: MessageFacts, reason: string): void {
    this.outcomes.inc({ outcome: 'ignored' });
    this.log.event('inbox.message_ignored', { ...fieldsOf(message), reason });
  }

  deferred(message: MessageFacts, { reason, delayMs }: { reason: string; delayMs: number }, error: unknown): void {
    this.outcomes.inc({ outcome: 'retry' });
    const fields = { ...fieldsOf(message), reason, delay_ms: delayMs, ...loggable(error) };
    this.log.event('inbox.message_deferred', fields, 'warn');
  }

  buried(message: MessageFacts, { reason }: { reason: string }, error: unknown): void {
    this.outcomes.inc({ outcome: 'dead' });
    this.log.event('inbox.message_dead', { ...fieldsOf(message), reason, ...loggable(error) }, 'error');
  }

  /** The lease is over, or the store did not take the outcome: whoever claims the message next decides. */
  outcomeNotStored(message: MessageFacts, error: unknown): void {
    this.outcomes.inc({ outcome: 'not_stored' });
    this.log.event('inbox.outcome_not_stored', { ...fieldsOf(message), ...loggable(error) }, 'warn');
  }

  /** Figures that are read at every scrape rather than counted; left out while the store cannot be read. */
  watch(figures: () => Promise<InboxFigures>, clock: Clock): void {
    const read = (): Promise<InboxFigures | null> => figures().catch(() => null);
    this.metrics.gauge('messages', 'Messages that wait and messages given up', ['state'], async (gauge) => {
      const found = await read();
      gauge.reset();
      if (found) gauge.set({ state: 'waiting' }, found.waiting);
      if (found) gauge.set({ state: 'dead' }, found.dead);
    });
    this.metrics.gauge(
      'messages_oldest_waiting_seconds',
      'Age of the message that waits longest',
      [],
      async (gauge) => {
        const found = await read();
        gauge.remove();
        if (found) gauge.set(found.oldestWaitingAt === null ? 0 : (clock.now() - found.oldestWaitingAt) / 1000);
      },
    );
  }

  bodiesDropped(count: number): void {
    this.dropped.inc(count);
    if (count > 0) this.log.event('inbox.bodies_dropped', { count });
  }

  replayed(count: number): void {
    this.log.event('inbox.messages_replayed', { count });
  }
}

function fieldsOf({ messageId, eventType, account, attempts }: MessageFacts): LogFields {
  return {
    message_id: messageId,
    event_type: eventType ?? undefined,
    account_ref: account ?? undefined,
    attempts,
  };
}
