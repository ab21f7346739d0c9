import { isFields, textOrNull } from '../platform/json-reader.js';

/** What every event says about itself (supplement 5.1). Ids may be missing; upstream gives an event no id and no time. */
export interface Envelope {
  readonly eventType: string;
  readonly data: unknown;
  readonly userId: string | null;
  readonly clientUserId: string | null;
  readonly teamId: string | null;
}

export type Reading =
  | { readonly envelope: Envelope; readonly unreadable?: never }
  | { readonly envelope?: never; readonly unreadable: 'not_json' | 'no_event_type' };

const utf8 = new TextDecoder('utf-8', { fatal: true });
/** Event types are words, dots and underscores; anything else is no name to store or to show. */
const eventTypePattern = /^[A-Za-z0-9_.-]{1,128}$/;

/** Reads a body once, outside every transaction. Never throws: whatever was signed is kept, understood or not. */
export function readEnvelope(body: Buffer): Reading {
  const content = parseJson(body);
  if (content === undefined) return { unreadable: 'not_json' };
  if (!isFields(content) || !isEventType(content['event_type'])) return { unreadable: 'no_event_type' };
  const inner = isFields(content['data']) ? content['data'] : {};
  return {
    envelope: {
      eventType: content['event_type'],
      data: content['data'],
      userId: textOrNull(content['user_id']) ?? textOrNull(inner['user_id']),
      clientUserId: textOrNull(content['client_user_id']),
      teamId: textOrNull(content['team_id']) ?? textOrNull(inner['team_id']),
    },
  };
}

function isEventType(value: unknown): value is string {
  return typeof value === 'string' && eventTypePattern.test(value);
}

/** Undefined for bytes that are not JSON in UTF-8. */
export function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(body));
  } catch {
    return undefined;
  }
}
