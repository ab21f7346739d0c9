/**
 * Messages to the customer's endpoint.
 *
 * pending -> delivered  a 2xx came within the timeout
 * pending -> pending    any other outcome; the next attempt waits for the schedule of
 *                       docs/upstream/webhooks.md#retry-delays
 * pending -> exhausted  the schedule is used up; a `message.attempt.exhausted` notice follows
 * pending -> held       paused, switched off or no address; goes out when the endpoint is there again
 * lost                  never sent (lose_rate or filtered out)
 *
 * A replay puts a message back to pending under the same id. At least once: a delivered message can be sent again.
 */
import type { Ids } from '../engine/random.js';
import type { Timeline } from '../engine/timeline.js';
import { formatTime, SECOND } from '../engine/times.js';
import { defaultEndpoint, EndpointHealth, type EndpointOptions, Secrets } from './endpoint.js';
import { signatureHeaders } from './signing.js';

export type MessageState = 'pending' | 'delivered' | 'exhausted' | 'held' | 'lost';

export interface Attempt {
  at: string;
  /** Null: no answer (refused, timed out, lost on the way). */
  status: number | null;
}

export interface Message {
  id: string;
  event_type: string;
  user_id: string | null;
  body: string;
  state: MessageState;
  created_at: string;
  attempts: Attempt[];
}

/** Waits after the first, second, ... failure (docs/upstream/webhooks.md#retry-delays). */
export const RETRY_DELAYS_SECONDS: readonly number[] = [0, 5, 300, 1800, 7200, 18_000, 36_000, 36_000];

const NOTICE = 'message.attempt.exhausted';
const SHUFFLE_SPREAD_SECONDS = 0.25;

export class Outbox {
  readonly options: EndpointOptions;
  readonly secrets: Secrets;
  private readonly messages = new Map<string, Message>();
  private readonly health = new EndpointHealth();
  private sending = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly timeline: Timeline,
    private readonly ids: Ids,
    endpoint: { url: string | null; secret: string },
  ) {
    this.options = defaultEndpoint(endpoint.url);
    this.secrets = new Secrets(endpoint.secret);
  }

  /** Queues a message with this body; it goes out when the timeline gets to it. */
  post(eventType: string, userId: string | null, body: string): Message {
    const id = `msg_${this.ids.token('message').slice(0, 24)}`;
    const created = formatTime(this.timeline.now());
    const message: Message = {
      id,
      event_type: eventType,
      user_id: userId,
      body,
      state: 'pending',
      created_at: created,
      attempts: [],
    };
    this.messages.set(id, message);
    const luck = this.ids.rng('message', id);
    if (luck.chance(this.options.lose_rate) || this.filteredOut(eventType)) {
      message.state = 'lost';
      return message;
    }
    this.queue(message, 0);
    if (luck.chance(this.options.duplicate_rate)) this.queue(message, 0);
    return message;
  }

  /** Sends a message again under its id. */
  replay(message: Message): void {
    message.state = 'pending';
    this.queue(message, 0);
  }

  /** Sends everything that was held back. */
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
    const counts: Record<MessageState, number> = { pending: 0, delivered: 0, exhausted: 0, held: 0, lost: 0 };
    for (const message of this.messages.values()) counts[message.state] += 1;
    return counts;
  }

  /** Messages wait until the endpoint takes them again. */
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

  private queue(message: Message, failures: number): void {
    const wait = failures === 0 ? this.firstDelaySeconds(message) : (RETRY_DELAYS_SECONDS[failures - 1] ?? 0);
    const rank = this.options.shuffle ? this.ids.rng('rank', message.id, this.ids.integer('rank')).next() : 0;
    this.timeline.after(wait, () => this.deliver(message, failures), rank);
  }

  private firstDelaySeconds(message: Message): number {
    const { delay_ms, shuffle } = this.options;
    const delay = delay_ms / SECOND;
    if (!shuffle || this.timeline.manual) return delay;
    const spread = this.ids.rng('spread', message.id, this.ids.integer('spread')).float(0, SHUFFLE_SPREAD_SECONDS, 4);
    return delay + spread * this.timeline.scale;
  }

  private async deliver(message: Message, failures: number): Promise<void> {
    if (message.state === 'exhausted') return;
    if (this.isOff) {
      if (message.state !== 'delivered') message.state = 'held';
      return;
    }
    const status = await this.attempt(message, String(this.options.url));
    message.attempts.push({ at: formatTime(this.timeline.now()), status });
    const succeeded = status !== null && status >= 200 && status < 300;
    this.judge(succeeded);
    if (succeeded) message.state = 'delivered';
    else if (failures < RETRY_DELAYS_SECONDS.length) this.queue(message, failures + 1);
    else this.exhaust(message);
  }

  private exhaust(message: Message): void {
    if (message.state === 'delivered') return;
    message.state = 'exhausted';
    if (message.event_type === NOTICE || !this.options.exhausted_notice) return;
    const notice = {
      type: NOTICE,
      data: { msgId: message.id, lastAttempt: { timestamp: message.attempts.at(-1)?.at } },
    };
    this.post(NOTICE, null, JSON.stringify(notice));
  }

  private async attempt(message: Message, url: string): Promise<number | null> {
    const luck = this.ids.rng('attempt', message.id, message.attempts.length);
    if (luck.chance(this.options.drop_rate)) return null;
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
    const at = this.options.timestamp_source === 'real' ? Date.now() : this.timeline.now();
    const content = { id: message.id, timestamp: Math.floor(at / SECOND), body: message.body };
    const headers = signatureHeaders(this.options.header_family, this.secrets.valid(this.timeline.now()), content);
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
