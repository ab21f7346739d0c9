import type { Message, Outbox } from './outbox.js';

export interface Addressee {
  user_id: string;
  client_user_id: string;
}

/** Puts event data into the envelope of docs/upstream/webhooks.md#envelope and queues it in the outbox. */
export class Events {
  constructor(
    private readonly outbox: Outbox,
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
    return this.outbox.post(eventType, user.user_id, JSON.stringify(envelope));
  }

  /** An event that names no user. */
  emitAnonymous(eventType: string, data: unknown): Message {
    return this.outbox.post(eventType, null, JSON.stringify({ event_type: eventType, team_id: this.teamId, data }));
  }

  /** A message whose body is given as text, envelope or not. */
  emitRaw(eventType: string, userId: string | null, body: string): Message {
    return this.outbox.post(eventType, userId, body);
  }
}
