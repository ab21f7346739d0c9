import type { Ids } from '../engine/random.js';
import type { Message, Outbox } from './outbox.js';

export interface Addressee {
  user_id: string;
  client_user_id: string;
}

const NOISE_TYPES = [
  'continuous_query.result_table.changed',
  'lab_report.parsing_job.created',
  'daily.data.aura.created',
];

/** Wraps event data in the envelope of docs/upstream/webhooks.md#envelope and hands it to the outbox. */
export class Events {
  constructor(
    private readonly outbox: Outbox,
    private readonly ids: Ids,
    private readonly teamId: string,
  ) {}

  emit(eventType: string, user: Addressee, data: unknown): Message {
    const envelope = {
      event_type: eventType,
      data,
      user_id: user.user_id,
      client_user_id: user.client_user_id,
      team_id: this.teamId,
    };
    const message = this.outbox.post(eventType, user.user_id, JSON.stringify(envelope));
    this.maybeNoise(message);
    return message;
  }

  /** A message whose body is given as text, envelope or not. */
  emitRaw(eventType: string, userId: string | null, body: string): Message {
    return this.outbox.post(eventType, userId, body);
  }

  private maybeNoise(message: Message): void {
    const luck = this.ids.rng('noise', message.id);
    if (!luck.chance(this.outbox.options.noise_rate)) return;
    const eventType = luck.pick(NOISE_TYPES);
    const body = { event_type: eventType, data: [], team_id: this.teamId };
    this.outbox.post(eventType, null, JSON.stringify(body));
  }
}
