import type { Tx } from '../database/tx.js';
import { isFields, parseJson, textOrNull } from '../platform/json-reader.js';

/**
 * What every event says about itself (docs/upstream/webhooks.md#envelope). Ids may be missing; upstream gives an event
 * no id and no time.
 */
export interface Envelope {
  readonly eventType: string;
  readonly data: unknown;
  readonly userId: string | null;
  readonly clientUserId: string | null;
  readonly teamId: string | null;
}

/** An event as its handler sees it. */
export interface RoutedEvent {
  /** Number of the message it came in: the provenance of what is stored. */
  readonly seq: number;
  /** First receipt in epoch milliseconds, on replays too: the instant of the observation. */
  readonly receivedAt: number;
  /** Upstream's event name of the resource; the middle word of events that have none. */
  readonly resource: string;
  readonly data: unknown;
}

/** Why an event needs no effect. Its message is kept all the same. */
export type IgnoredReason =
  | 'not_json'
  | 'no_event_type'
  | 'unknown_event'
  | 'unknown_resource'
  | 'foreign_team'
  | 'body_not_kept'
  | 'account_erased';

/**
 * What is to be done about an event. Making a plan reads its data, and throws `WireShapeError` for what cannot be used.
 */
export type Plan = { readonly kind: 'apply'; readonly effect: Effect } | Ignore;
export interface Ignore {
  readonly kind: 'ignore';
  readonly reason: IgnoredReason;
}

/** Writes what an event says. May run more than once; holds only together with the mark that its message is done. */
export type Effect = (tx: Tx, target: Target) => Promise<void>;

export interface Target {
  /** `accounts.id`. */
  readonly account: number;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Runs once the transaction is committed; for log lines and counters. */
  readonly afterCommit: (report: () => void) => void;
}

export function apply(effect: Effect): Plan {
  return { kind: 'apply', effect };
}

export function ignore(reason: IgnoredReason): Ignore {
  return { kind: 'ignore', reason };
}

/** Event types are words, dots and underscores; anything else is no name to store or to show. */
export const eventTypePattern = /^[A-Za-z0-9_.-]{1,128}$/;

/** Reads a body once, outside every transaction. Never throws: whatever was signed is kept, understood or not. */
export function readEnvelope(body: Buffer): { kind: 'event'; envelope: Envelope } | Ignore {
  const content = parseJson(body);
  if (content === undefined) return ignore('not_json');
  if (!isFields(content) || !isEventType(content['event_type'])) return ignore('no_event_type');
  const inner = isFields(content['data']) ? content['data'] : {};
  const envelope = {
    eventType: content['event_type'],
    data: content['data'],
    userId: textOrNull(content['user_id']) ?? textOrNull(inner['user_id']),
    clientUserId: textOrNull(content['client_user_id']),
    teamId: textOrNull(content['team_id']) ?? textOrNull(inner['team_id']),
  };
  return { kind: 'event', envelope };
}

function isEventType(value: unknown): value is string {
  return typeof value === 'string' && eventTypePattern.test(value);
}

/** What an event is about, and so who handles it. `other` is everything not known here: kept, never refused. */
export const eventFamilies = [
  'data',
  'history',
  'connection_created',
  'connection_error',
  'device',
  'order',
  'appointment',
  'critical_result',
  'other',
] as const;
export type EventFamily = (typeof eventFamilies)[number];

export interface EventName {
  readonly family: EventFamily;
  /** Upstream's event name of the resource, for `data` and `history`; the middle word of the others. */
  readonly resource: string;
}

/** Prefix, resource and last word, where `*` stands for any word. The first that fits decides. */
const patterns: readonly (readonly [prefix: string, resource: string, last: string, family: EventFamily])[] = [
  ['daily.data', '*', 'created', 'data'],
  ['daily.data', '*', 'updated', 'data'],
  ['historical.data', '*', 'created', 'history'],
  ['provider', 'connection', 'created', 'connection_created'],
  ['provider', 'connection', 'error', 'connection_error'],
  ['provider', 'device', '*', 'device'],
  ['labtest', 'order', '*', 'order'],
  ['labtest', 'appointment', '*', 'appointment'],
  ['labtest', 'result', 'critical', 'critical_result'],
];

/**
 * Splits an event type by its dots (docs/upstream/webhooks.md#names-of-event-types); resource names hold underscores,
 * never dots.
 */
export function readEventType(eventType: string): EventName {
  const words = eventType.split('.');
  const last = words.pop() ?? '';
  const resource = words.pop() ?? '';
  const prefix = words.join('.');
  const fits = (wanted: string, word: string): boolean => wanted === '*' || wanted === word;
  const found = patterns.find(([p, r, l]) => p === prefix && fits(r, resource) && fits(l, last));
  return { family: found?.[3] ?? 'other', resource };
}
