import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { WebhookConfig } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import { AppError } from '../../platform/platform/errors.js';
import { traced } from '../../platform/platform/traces.js';
import type { Tx } from '../../storage/database/tx.js';
import { type Batcher, WriteLane } from '../../storage/database/write-lane.js';
import { checkHead, checkSignature, type SignedHead } from '../../upstream/client/signature.js';
import { LONG_BYTES } from '../events/event.js';
import {
  MAX_DELIVERIES_WAITING,
  MAX_DELIVERY_BYTES_WAITING,
  OLDEST_LOOK_MS,
  REFUSED_RETRY_SECONDS,
  SHED_AFTER_MS,
  SHED_RETRY_SECONDS,
} from '../streams/tuning.js';
import { type Delivery, InboxRepository } from './inbox.repository.js';
import { InboxTelemetry } from './inbox.telemetry.js';
import { InboxWorker } from './inbox.worker.js';
import { SecretUses } from './secret-uses.js';

/** Result of the last check for the oldest untried message. */
interface Oldest {
  lookedAt: number | null;
  receivedAt: number | null;
  /** Time of the check in epoch milliseconds. */
  seenAt: number;
}

/** Stores deliveries. Once `receive` resolves, the message survives any crash. */
@Injectable()
export class InboxService implements OnModuleDestroy {
  private readonly batcher: Batcher<Delivery, void>;
  private waiting = 0;
  private waitingBytes = 0;
  private closed = false;
  private readonly startedAt: number;
  private readonly short: Oldest = { lookedAt: null, receivedAt: null, seenAt: 0 };
  private readonly long: Oldest = { lookedAt: null, receivedAt: null, seenAt: 0 };

  constructor(
    lane: WriteLane,
    private readonly config: WebhookConfig,
    private readonly inbox: InboxRepository,
    private readonly worker: InboxWorker,
    private readonly clock: Clock,
    private readonly telemetry: InboxTelemetry,
    private readonly secrets: SecretUses,
  ) {
    this.startedAt = clock.now();
    const store = async (tx: Tx, deliveries: readonly Delivery[]): Promise<[]> => {
      const made = await inbox.store(tx, deliveries);
      tx.afterCommit(() => telemetry.duplicates(deliveries.length - made));
      return [];
    };
    this.batcher = lane.batcher(store, { priority: 'first', calls: 'one' });
  }

  /**
   * Verifies a delivery and stores its bytes, without parsing them. A repeated delivery of a stored message also
   * succeeds. Throws `malformed_webhook`, `bad_signature`, `shutting_down`, `inbox_behind` or `storage_unavailable`; do
   * not acknowledge the delivery then.
   */
  async receive(head: SignedHead | null, body: Buffer): Promise<void> {
    this.assertOpen(body.length);
    const receivedAt = this.clock.now();
    const { secrets, toleranceSeconds } = this.config;
    const check = checkSignature(head, body, { secrets: secrets.current, toleranceSeconds }, receivedAt);
    if (check.kind === 'malformed') throw malformed();
    if (check.kind !== 'ok') {
      this.telemetry.notVerified(check.kind, receivedAt);
      throw notVerified();
    }
    const { messageId, sentAt, secret } = check;
    this.secrets.used(secret, receivedAt);
    await this.store({ messageId, receivedAt, sentAt, body });
    this.telemetry.accepted();
    this.worker.wake(body.length);
  }

  /**
   * Stores a message of the broker, also while the process stops. Throws `inbox_behind` or `storage_unavailable`; do
   * not acknowledge the message then.
   */
  async take(delivery: Delivery): Promise<void> {
    this.assertRoom(delivery.body.length);
    await this.store(delivery);
    this.telemetry.taken();
    this.worker.wake(delivery.body.length);
  }

  /**
   * Throws `malformed_webhook` or `bad_signature` if the headers alone show that a body of `bytes` would be refused, so
   * that it need not be read. A short body is read despite a wrong timestamp, because a valid signature then shows that
   * one of the clocks is wrong, which raises an alarm.
   */
  assertPlausible(head: SignedHead | null, bytes: number): void {
    const now = this.clock.now();
    const found = checkHead(head, this.config, now);
    if (found === 'plausible' || (found === 'untimely' && bytes <= LONG_BYTES)) return;
    if (found === 'malformed') throw malformed();
    if (found === 'bad_signature') this.telemetry.notVerified(found, now);
    throw notVerified();
  }

  /** Throws while no body of this size can be accepted. Call before reading the body. */
  assertOpen(bytes: number): void {
    if (this.closed)
      throw new AppError('shutting_down', 'The service is shutting down.', {
        retryAfterSeconds: REFUSED_RETRY_SECONDS,
      });
    this.assertRoom(bytes);
  }

  private assertRoom(bytes: number): void {
    this.assertNotBehind(bytes > LONG_BYTES);
    if (this.waiting < MAX_DELIVERIES_WAITING && this.waitingBytes < MAX_DELIVERY_BYTES_WAITING) return;
    const retryAfterSeconds = REFUSED_RETRY_SECONDS;
    throw new AppError('storage_unavailable', 'Too many messages are waiting to be stored; retry later.', {
      retryAfterSeconds,
    });
  }

  /**
   * Throws if messages have waited for too long: they are acknowledged and go first, while upstream retries refused
   * deliveries. Time before the start of this process does not count, because no process may have been running.
   */
  private assertNotBehind(isLong: boolean): void {
    const oldest = isLong ? this.long : this.short;
    this.look(oldest, isLong);
    if (oldest.receivedAt === null) return;
    const since = Math.max(oldest.receivedAt, this.startedAt);
    // The message may have been processed since the check.
    if (oldest.seenAt - since <= SHED_AFTER_MS) return;
    this.telemetry.shed(since);
    const text = 'The inbox is behind; retry later.';
    throw new AppError('inbox_behind', text, { retryAfterSeconds: SHED_RETRY_SECONDS });
  }

  /** Checks in the background, so that no delivery waits for it. */
  private look(oldest: Oldest, isLong: boolean): void {
    const now = this.clock.monotonic();
    if (oldest.lookedAt !== null && now - oldest.lookedAt < OLDEST_LOOK_MS) return;
    oldest.lookedAt = now;
    const seenAt = this.clock.now();
    void this.inbox.oldestUntried(isLong).then(
      (receivedAt) => {
        oldest.receivedAt = receivedAt;
        oldest.seenAt = seenAt;
      },
      () => undefined,
    );
  }

  /** Refuses new deliveries; those already accepted are still stored and acknowledged. */
  onModuleDestroy(): void {
    this.closed = true;
  }

  private async store(delivery: Delivery): Promise<void> {
    this.waiting += 1;
    this.waitingBytes += delivery.body.length;
    const { messageId, body } = delivery;
    try {
      const store = (): Promise<void> => this.batcher.add(delivery);
      await traced('webhook.delivery', { message_id: messageId, bytes: body.length }, store, { of: messageId });
    } catch (cause) {
      throw new AppError('storage_unavailable', 'The message could not be stored.', {
        cause,
        retryAfterSeconds: REFUSED_RETRY_SECONDS,
      });
    } finally {
      this.waiting -= 1;
      this.waitingBytes -= delivery.body.length;
    }
  }
}

function malformed(): AppError {
  return new AppError('malformed_webhook', 'The signature headers are missing or malformed.');
}

function notVerified(): AppError {
  return new AppError('bad_signature', 'The signature matches no configured secret, or the timestamp is too far off.');
}
