/**
 * Messages to the customer's endpoint.
 *
 * pending -> delivered  a 2xx came within the timeout
 * pending -> pending    any other outcome; the next attempt follows the schedule of
 *                       docs/upstream/webhooks.md#retry-delays
 * pending -> exhausted  the schedule is used up; a `message.attempt.exhausted` notice follows
 * pending -> held       paused, disabled or no address; sent when the endpoint is available again
 * lost                  never sent (the fault `lose`, or filtered out)
 *
 * A replay puts a message back to pending under the same id. At least once: a delivered message can be sent again.
 */
import type { DeliveryFault, FaultRule, Faults } from '../engine/faults.js';
import type { Ids } from '../engine/random.js';
import type { Timeline } from '../engine/timeline.js';
import { formatTime, HOUR, MINUTE, SECOND } from '../engine/times.js';
import { defaultEndpoint, EndpointHealth, type EndpointOptions, Secrets } from './endpoint.js';
import { signatureHeaders } from './signing.js';
import { STRAYS } from './strays.js';

export type MessageState = 'pending' | 'delivered' | 'exhausted' | 'held' | 'lost';

export interface Attempt {
  at: string;
  /** Null: no response (refused, timed out, lost in transit). */
  status: number | null;
}

export interface Message {
  /** Its position among all messages. */
  number: number;
  id: string;
  event_type: string;
  user_id: string | null;
  body: string;
  state: MessageState;
  created_at: string;
  attempts: Attempt[];
}

/** Delays after the first, second, ... failure (docs/upstream/webhooks.md#retry-delays). */
const RETRY_DELAYS_SECONDS: readonly number[] = [0, 5, 300, 1800, 7200, 18_000, 36_000, 36_000];

const NOTICE = 'message.attempt.exhausted';
const SHUFFLE_SPREAD_SECONDS = 0.25;
const OVERTAKEN_SECONDS = 300;
/** A secret that no endpoint uses. */
const FORGED_SECRET = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;

export class Outbox {
  readonly options: EndpointOptions;
  readonly secrets: Secrets;
  private readonly messages = new Map<string, Message>();
  private readonly health = new EndpointHealth();
  /** Lost at their first attempt, waiting for a newer message about their user. */
  private readonly overtaken = new Map<string | null, Message[]>();
  /** Attempts that got any response. */
  answered = 0;
  private readonly inState: Record<MessageState, number> = { pending: 0, delivered: 0, exhausted: 0, held: 0, lost: 0 };
  private sending = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly timeline: Timeline,
    private readonly ids: Ids,
    private readonly faults: Faults,
    endpoint: { url: string | null; secret: string },
  ) {
    this.options = defaultEndpoint(endpoint.url);
    this.secrets = new Secrets(endpoint.secret);
  }

  /** For a restart (state.ts): undelivered messages. */
  keep(): Message[] {
    return this.list().filter(({ state }) => state === 'pending' || state === 'held');
  }

  restore(kept: readonly Message[]): void {
    for (const each of kept) {
      const message: Message = { ...each, number: this.messages.size, state: 'pending' };
      this.messages.set(message.id, message);
      this.inState.pending += 1;
      this.queue(message, 0);
    }
  }

  /** Queues a message with this body, and the messages that faults add; the timeline sends them. */
  post(eventType: string, userId: string | null, body: string): Message {
    const message = this.made(eventType, userId, body);
    if (this.fault('lose', message) !== null || this.filteredOut(eventType)) this.become(message, 'lost');
    else {
      this.queue(message, 0);
      if (this.fault('duplicate', message) !== null) this.queue(message, 0);
    }
    for (const kind of Object.keys(STRAYS) as (keyof typeof STRAYS)[]) {
      const rule = this.fault(kind, message);
      const stray = rule && STRAYS[kind]?.(message, rule, this.ids);
      if (stray) this.queue(this.made(stray.event_type, null, stray.body), 0);
    }
    return message;
  }

  /** Sends a message again under its id. */
  replay(message: Message): void {
    this.become(message, 'pending');
    this.queue(message, 0);
  }

  /** Sends all held messages. */
  release(): void {
    for (const message of this.messages.values()) if (message.state === 'held') this.replay(message);
  }

  find(id: string): Message | undefined {
    return this.messages.get(id);
  }

  list(): Message[] {
    return [...this.messages.values()];
  }

  counts(): Record<MessageState, number> {
    return { ...this.inState };
  }

  /** Holds messages until the endpoint accepts them again. */
  get isOff(): boolean {
    return this.options.paused || this.options.disabled || this.options.url === null;
  }

  private judge(succeeded: boolean): void {
    if (succeeded) this.health.succeeded();
    else if (this.health.failed(this.timeline.now())) {
      this.options.disabled = true;
      this.health.succeeded();
    }
  }

  private filteredOut(eventType: string): boolean {
    return this.options.filter_types !== null && !this.options.filter_types.includes(eventType);
  }

  private made(eventType: string, userId: string | null, body: string): Message {
    const id = `msg_${this.ids.token('message').slice(0, 24)}`;
    const created_at = formatTime(this.timeline.now());
    const message: Message = {
      number: this.messages.size,
      id,
      event_type: eventType,
      user_id: userId,
      body,
      state: 'pending',
      created_at,
      attempts: [],
    };
    this.messages.set(id, message);
    this.inState.pending += 1;
    return message;
  }

  private become(message: Message, state: MessageState): void {
    this.inState[message.state] -= 1;
    message.state = state;
    this.inState[state] += 1;
  }

  private fault(kind: DeliveryFault, { id, event_type, attempts }: Message): FaultRule | null {
    return this.faults.strikeDelivery(kind, { id, event_type, attempt: attempts.length });
  }

  private queue(message: Message, failures: number): void {
    const shuffled = this.fault('shuffle', message) !== null;
    const wait = failures === 0 ? this.firstDelay(message, shuffled) : (RETRY_DELAYS_SECONDS[failures - 1] ?? 0);
    const rank = shuffled ? this.ids.rng('rank', message.id, this.ids.integer('rank')).next() : 0;
    this.timeline.after(wait, () => this.deliver(message, failures), rank);
  }

  /** Seconds of sandbox time. */
  private firstDelay(message: Message, shuffled: boolean): number {
    const delay = this.fault('delay', message);
    if (delay !== null) return (delay.delay_ms ?? SECOND) / SECOND;
    const scale = this.timeline.manual ? 1 : this.timeline.scale;
    const together = this.fault('together', message);
    if (together !== null) {
      const period = together.delay_ms ?? SECOND;
      return ((period - (this.timeline.now() % period)) / SECOND) * scale;
    }
    if (!shuffled || this.timeline.manual) return 0;
    const luck = this.ids.rng('spread', message.id, this.ids.integer('spread'));
    return luck.float(0, SHUFFLE_SPREAD_SECONDS, 4) * scale;
  }

  private async deliver(message: Message, failures: number): Promise<void> {
    if (message.state === 'exhausted') return;
    if (this.isOff) {
      if (message.state !== 'delivered') this.become(message, 'held');
      return;
    }
    const status = await this.attempt(message, String(this.options.url));
    message.attempts.push({ at: formatTime(this.timeline.now()), status });
    if (status !== null) this.answered += 1;
    const succeeded = status !== null && status >= 200 && status < 300;
    this.judge(succeeded);
    if (succeeded) {
      this.become(message, 'delivered');
      this.releaseOvertaken(message);
    } else if (failures === 0 && this.overtaken.get(message.user_id)?.includes(message)) {
      this.timeline.after(OVERTAKEN_SECONDS, () => this.retryOvertaken(message));
    } else if (failures < RETRY_DELAYS_SECONDS.length) this.queue(message, failures + 1);
    else this.exhaust(message);
  }

  /** Sends the older messages that this message overtook. */
  private releaseOvertaken({ number, user_id }: Message): void {
    for (const older of this.overtaken.get(user_id) ?? []) if (older.number < number) this.retryOvertaken(older);
  }

  private retryOvertaken(message: Message): void {
    const waiting = this.overtaken.get(message.user_id) ?? [];
    if (!waiting.includes(message)) return;
    this.overtaken.set(
      message.user_id,
      waiting.filter((other) => other !== message),
    );
    this.queue(message, 1);
  }

  private exhaust(message: Message): void {
    if (message.state === 'delivered') return;
    this.become(message, 'exhausted');
    if (message.event_type === NOTICE || !this.options.exhausted_notice) return;
    const notice = {
      type: NOTICE,
      data: { msgId: message.id, lastAttempt: { timestamp: message.attempts.at(-1)?.at } },
    };
    this.post(NOTICE, null, JSON.stringify(notice));
  }

  private async attempt(message: Message, url: string): Promise<number | null> {
    if (this.fault('drop', message) !== null) return null;
    if (message.attempts.length === 0 && message.user_id !== null && this.fault('overtake', message) !== null) {
      this.overtaken.set(message.user_id, [...(this.overtaken.get(message.user_id) ?? []), message]);
      return null;
    }
    await this.enter();
    try {
      return await this.send(message, url);
    } catch {
      return null;
    } finally {
      this.leave();
    }
  }

  private async send(message: Message, url: string): Promise<number> {
    const now = this.options.timestamp_source === 'real' ? Date.now() : this.timeline.now();
    const at = now + this.timestampError(message);
    const content = { id: message.id, timestamp: Math.floor(at / SECOND), body: message.body };
    const forged = this.fault('bad_signature', message) !== null;
    const secrets = forged ? [FORGED_SECRET] : this.secrets.valid(this.timeline.now());
    const headers = signatureHeaders(this.options.header_family, secrets, content);
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: message.body,
      redirect: 'manual',
      signal: AbortSignal.timeout(this.options.timeout_ms),
    });
    await response.arrayBuffer();
    return response.status;
  }

  /** Error of the attempt's timestamp, in milliseconds. */
  private timestampError(message: Message): number {
    if (this.fault('old_timestamp', message) !== null) return -HOUR;
    const skew = this.fault('skew', message);
    return skew === null ? 0 : (skew.delay_ms ?? MINUTE);
  }

  private async enter(): Promise<void> {
    if (this.sending >= this.options.concurrency) {
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
    this.sending += 1;
  }

  private leave(): void {
    this.sending -= 1;
    this.waiting.shift()?.();
  }
}
