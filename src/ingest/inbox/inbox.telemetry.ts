import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { AppError, describeError, type ErrorCode, loggable } from '../../platform/platform/errors.js';
import { LinePerMinute } from '../../platform/platform/line-per-minute.js';
import { Log, type LogFields } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';
import { ThisProcess } from '../../platform/platform/this-process.js';
import { DAY_MS, MINUTE_MS } from '../../platform/platform/time.js';
import type { InboxFigures } from './messages.repository.js';
import type { ReplayEntity } from './replay.entity.js';

/** Message facts to log. The owner is not logged, because it is stored with the message. */
export interface MessageFacts {
  readonly messageId: string;
  readonly eventType: string | null;
  readonly attempts: number;
}

/** A few refusals are strangers or faults of upstream. This many without an accepted delivery raise an alarm. */
const REFUSED_IN_A_ROW = 3;
const signOf = {
  bad_signature: 'deliveries_refused',
  untimely: 'deliveries_untimely',
  misaddressed: 'deliveries_misaddressed',
} as const;
const refusedKinds = ['bad_signature', 'untimely', 'misaddressed'] as const;

@Injectable()
export class InboxTelemetry {
  private readonly receipts;
  private readonly duplicateDeliveries;
  private readonly outcomes;
  private readonly durations;
  private readonly dropped;
  private readonly refusalLines;
  private readonly inARow = { bad_signature: [] as number[], untimely: [] as number[], misaddressed: [] as number[] };

  constructor(
    private readonly log: Log,
    private readonly metrics: Metrics,
    private readonly thisProcess: ThisProcess,
    private readonly clock: Clock,
  ) {
    this.refusalLines = new LinePerMinute<ErrorCode>(clock);
    this.receipts = metrics.counter('messages_received_total', 'Deliveries by outcome', ['outcome']);
    this.duplicateDeliveries = metrics.counter('messages_duplicate_total', 'Accepted deliveries of known messages');
    this.outcomes = metrics.counter('messages_processed_total', 'Attempts to process a message by outcome', [
      'outcome',
    ]);
    this.dropped = metrics.counter('message_bodies_dropped_total', 'Bodies of finished messages dropped by retention');
    this.durations = metrics.histogram('message_apply_seconds', 'Time from parsing a message to committing its effect');
  }

  /** Counts repeated deliveries of stored messages. */
  duplicates(count: number): void {
    this.duplicateDeliveries.inc(count);
  }

  accepted(): void {
    this.receipts.inc({ outcome: 'accepted' });
    for (const kind of refusedKinds) {
      if (this.inARow[kind].length === 0) continue;
      this.inARow[kind] = [];
      this.thisProcess.clear(signOf[kind]);
    }
  }

  /** Counts a message of the broker, which says nothing about the signatures of deliveries. */
  taken(): void {
    this.receipts.inc({ outcome: 'accepted' });
  }

  /** Counts an attempt to store a message of the broker that is repeated. */
  held(code: ErrorCode): void {
    this.receipts.inc({ outcome: code });
  }

  /** Raises an alarm after several refusals in a day without an accepted delivery in between. */
  notVerified(kind: (typeof refusedKinds)[number], at: number): void {
    const recent = this.inARow[kind].filter((before) => at - before < DAY_MS).slice(1 - REFUSED_IN_A_ROW);
    this.inARow[kind] = [...recent, at];
    const [first = at] = this.inARow[kind];
    if (this.inARow[kind].length >= REFUSED_IN_A_ROW) this.thisProcess.note(signOf[kind], first, at + DAY_MS);
  }

  /** Notes a request with signature headers to a path other than the webhook route. */
  misaddressed(requestId: string): void {
    this.notVerified('misaddressed', this.clock.now());
    this.refused('not_found', requestId, new AppError('not_found', 'Deliveries must be sent to /webhooks.'));
  }

  /**
   * Logs only our own id of an unverified request, and at most one line per minute and code; `count` is the number of
   * refusals since the previous line.
   */
  refused(code: ErrorCode, requestId: string, error: unknown): void {
    this.receipts.inc({ outcome: code });
    const count = this.refusalLines.count(code);
    if (count === null) return;
    this.log.event('webhook.refused', { ...describeError(error), code, request_id: requestId, count }, 'warn');
  }

  /** Notes a refused delivery, because a message has waited for too long, since `since`. */
  shed(since: number): void {
    this.thisProcess.note('deliveries_shed', since, this.clock.now() + MINUTE_MS);
  }

  done(message: MessageFacts, seconds: number): void {
    this.outcomes.inc({ outcome: 'done' });
    this.durations.observe(seconds);
    this.log.event('inbox.message_done', fieldsOf(message), 'debug');
  }

  /** The message waits for the lookup of its user. */
  putAside(message: MessageFacts): void {
    this.outcomes.inc({ outcome: 'put_aside' });
    this.log.event('inbox.message_put_aside', fieldsOf(message), 'debug');
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

  buried(message: MessageFacts, { reason }: { reason: string }, error?: unknown): void {
    this.outcomes.inc({ outcome: 'dead' });
    this.log.event('inbox.message_dead', { ...fieldsOf(message), reason, ...loggable(error) }, 'error');
  }

  /** The lease was lost or the outcome could not be stored; the next claim decides. */
  outcomeNotStored(message: MessageFacts, error: unknown): void {
    this.outcomes.inc({ outcome: 'not_stored' });
    this.log.event('inbox.outcome_not_stored', { ...fieldsOf(message), ...loggable(error) }, 'warn');
  }

  /** Registers gauges that are read at every scrape, and omitted while the database cannot be read. */
  watch(figures: () => Promise<InboxFigures>, clock: Clock): void {
    const read = (): Promise<InboxFigures | null> => figures().catch(() => null);
    this.metrics.storeGauge(
      'messages',
      'Messages that wait for their turn or a user lookup, and messages that failed permanently',
      ['state'],
      async (gauge) => {
        const found = await read();
        gauge.reset();
        if (found) gauge.set({ state: 'waiting' }, found.waiting - found.waitingForUser);
        if (found) gauge.set({ state: 'waiting_for_user' }, found.waitingForUser);
        if (found) gauge.set({ state: 'dead' }, found.dead);
      },
    );
    this.metrics.storeGauge(
      'messages_oldest_waiting_seconds',
      'Age of the oldest waiting message',
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

  replayStarted({ id, matched }: ReplayEntity): void {
    this.log.event('inbox.replay_started', { replay_id: id, count: matched });
  }

  replayFinished({ id, replayed, retrying, failed, cancelled_at }: ReplayEntity): void {
    const ended = retrying + failed === 0 ? 'done' : 'done_in_part';
    const outcome = cancelled_at === null ? ended : 'cancelled';
    this.log.event('inbox.replay_finished', { replay_id: id, outcome, count: replayed });
  }
}

function fieldsOf({ messageId, eventType, attempts }: MessageFacts): LogFields {
  return {
    message_id: messageId,
    event_type: eventType ?? undefined,
    attempts,
  };
}
