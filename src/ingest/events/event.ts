import type { Resource } from '../../health/catalogue/catalogue.js';
import { mapGroups, mapSummaries } from '../../health/catalogue/map-records.js';
import type { Records } from '../../health/catalogue/records.js';
import { isFields, isTooDeep, parseJson, textOrNull, type WireFields } from '../../platform/platform/json-reader.js';
import type { Tx } from '../../storage/database/tx.js';
import { readGroup } from '../../upstream/client/wire-data.js';

/**
 * Fields common to all events (docs/upstream/webhooks.md#envelope). Ids of users may be missing. The event itself has
 * neither an id nor a time.
 */
export interface Envelope {
  readonly eventType: string;
  readonly data: unknown;
  readonly userId: string | null;
  readonly clientUserId: string | null;
  readonly teamId: string | null;
  /** True if the data names another user than the envelope; the event must not be stored for either. */
  readonly isMismatched: boolean;
}

/** Longer bodies are processed separately and read in their own thread, not in the one that serves requests. */
export const LONG_BYTES = 262_144;

/** Records in slices, and the total numbers of received and rejected records. */
export interface LongRecords extends Pick<Records, 'received' | 'rejected'> {
  readonly slices: AsyncIterable<Records>;
}

/** A body that was read. The caller must `close` it. */
export interface OpenBody {
  readonly read: ReadEnvelope;
  /** Reads the records of a long body; throws `WireShapeError`. Null for a short body, whose envelope has them. */
  readonly records: ((resource: Resource) => LongRecords) | null;
  close(): Promise<void>;
}

/** An event as passed to its handler. */
export interface RoutedEvent {
  /** `messages.seq` of its message, which is the provenance of the stored data. */
  readonly seq: number;
  /** First receipt in epoch milliseconds, also for replays; the time of the observation. */
  readonly receivedAt: number;
  /** Upstream's event name of the resource; for events without a resource, the middle word of the event type. */
  readonly resource: string;
  readonly data: unknown;
  /** Reads the records of a long body; null if they are in `data`. */
  readonly records: OpenBody['records'];
}

/** Reasons to ignore an event. The message is kept. */
export type IgnoredReason =
  | 'not_json'
  | 'no_event_type'
  | 'unknown_event'
  | 'names_no_order'
  | 'not_stored'
  | 'unknown_resource'
  | 'foreign_team'
  | 'body_not_kept'
  | 'account_erased';

/** Reasons why an event can never be used. The message is dead and keeps its body. */
export type UnusableReason = 'nested_too_deep' | 'needs_too_much_memory' | 'too_large' | 'damaged_gzip';

/**
 * The effect of an event. Creating a plan reads the event's data and throws `WireShapeError` if it is unusable. A plan
 * may run more than once, but it is committed only together with the outcome of its message.
 */
export type Plan = RecordsPlan | WritePlan | WriteAnywayPlan | Ignore;

/** Records to store, together with those of other messages. */
export interface RecordsPlan {
  readonly kind: 'records';
  /** One slice; for a long body many, of which all but the last are stored on their own. */
  readonly slices: readonly [Records] | AsyncIterable<Records>;
  readonly outcome: RecordsOutcome;
}

/** `points_rejected`: some records could not be stored · `unreadable_data`: none could. */
export type RecordsOutcome =
  | { readonly status: 'done'; readonly reason?: 'points_rejected' }
  | { readonly status: 'dead'; readonly reason: 'unreadable_data' };

/** Any other write about an account (`accounts.id`). */
export interface WritePlan {
  readonly kind: 'write';
  readonly write: Write;
}
export type Write = (tx: Tx, account: number) => Promise<void>;

/** A write that needs no account, because upstream has not matched the user yet. */
export interface WriteAnywayPlan {
  readonly kind: 'write_anyway';
  readonly write: (tx: Tx, account: number | null) => Promise<void>;
}

export interface Ignore {
  readonly kind: 'ignore';
  readonly reason: IgnoredReason;
}

/** A plan that stores records. It fails if all of them were rejected. */
export function store(slices: RecordsPlan['slices'], counts: Pick<Records, 'received' | 'rejected'>): RecordsPlan {
  const { received, rejected } = counts;
  const some =
    rejected === 0 ? ({ status: 'done' } as const) : ({ status: 'done', reason: 'points_rejected' } as const);
  const none = { status: 'dead', reason: 'unreadable_data' } as const;
  return { kind: 'records', slices, outcome: received > 0 && rejected === received ? none : some };
}

export function write(write: Write): WritePlan {
  return { kind: 'write', write };
}

export function writeAnyway(write: WriteAnywayPlan['write']): WriteAnywayPlan {
  return { kind: 'write_anyway', write };
}

export function ignore(reason: IgnoredReason): Ignore {
  return { kind: 'ignore', reason };
}

/** Anything else is not an event type, and must not be stored or shown as one. */
export const eventTypePattern = /^[A-Za-z0-9_.-]{1,128}$/;

export type ReadEnvelope =
  | { readonly kind: 'event'; readonly envelope: Envelope }
  | { readonly kind: 'unusable'; readonly reason: UnusableReason }
  | Ignore;

/** Reads a body. Never throws, because every signed message is kept, even if it cannot be understood. */
export function readEnvelope(body: Buffer): ReadEnvelope {
  const content = parseJson(body);
  if (content === undefined) {
    return isTooDeep(body) ? { kind: 'unusable', reason: 'nested_too_deep' } : ignore('not_json');
  }
  if (!isFields(content) || !isEventType(content['event_type'])) return ignore('no_event_type');
  const inner = isFields(content['data']) ? content['data'] : {};
  const envelope = {
    eventType: content['event_type'],
    data: content['data'],
    userId: textOrNull(content['user_id']) ?? textOrNull(inner['user_id']),
    clientUserId: textOrNull(content['client_user_id']),
    teamId: textOrNull(content['team_id']) ?? textOrNull(inner['team_id']),
    isMismatched: namesAnother(content['user_id'], inner),
  };
  return { kind: 'event', envelope };
}

/** True if the data, or an object in it such as an order, device or summary, names another user. */
function namesAnother(userId: unknown, data: WireFields): boolean {
  const own = textOrNull(userId)?.toLowerCase();
  if (own === undefined) return false;
  return [data, ...Object.values(data).filter(isFields)].some((object) => {
    const named = textOrNull(object['user_id']);
    return named !== null && named.toLowerCase() !== own;
  });
}

/** The records of an event. Throws `WireShapeError` if they cannot be identified. */
export function recordsOf(resource: Resource, data: unknown): Records {
  return resource.family === 'summary' ? mapSummaries(resource, [data]) : mapGroups(resource, [readGroup(data)]);
}

function isEventType(value: unknown): value is string {
  return typeof value === 'string' && eventTypePattern.test(value);
}

/** The subject of an event, which selects its handler. Unknown events are `other`; they are kept, never refused. */
export const eventFamilies = [
  'data',
  'history',
  'connection_created',
  'connection_error',
  'device',
  'order',
  'appointment',
  'critical_result',
  'match_review',
  'parsing_job',
  'query_result',
  'other',
] as const;
export type EventFamily = (typeof eventFamilies)[number];

export interface EventName {
  readonly family: EventFamily;
  /** Upstream's event name of the resource for `data` and `history`; otherwise the middle word of the event type. */
  readonly resource: string;
}

/** Prefix, resource and last word; `*` matches any word. The first match decides. */
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
  ['labtest', 'match_review', '*', 'match_review'],
  ['lab_report', 'parsing_job', '*', 'parsing_job'],
  ['continuous_query', '*', '*', 'query_result'],
];

/**
 * Splits an event type at its dots (docs/upstream/webhooks.md#names-of-event-types). Resource names may contain
 * underscores, but no dots.
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
