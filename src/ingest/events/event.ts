import type { Resource } from '../../health/catalogue/catalogue.js';
import { mapGroups, mapSummaries } from '../../health/catalogue/map-records.js';
import type { Records } from '../../health/catalogue/records.js';
import { isFields, isTooDeep, parseJson, textOrNull, type WireFields } from '../../platform/platform/json-reader.js';
import type { Tx } from '../../storage/database/tx.js';
import { readGroup } from '../../upstream/client/wire-data.js';

/**
 * Common fields of every event (docs/upstream/webhooks.md#envelope). Ids may be missing; upstream gives an event no
 * id and no time.
 */
export interface Envelope {
  readonly eventType: string;
  readonly data: unknown;
  readonly userId: string | null;
  readonly clientUserId: string | null;
  readonly teamId: string | null;
  /** The event's content names another user than the envelope: it must not be stored for either. */
  readonly isMismatched: boolean;
}

/** A body longer than this is read apart from the others, and not on the thread that serves requests. */
export const LONG_BYTES = 262_144;

/** Records slice by slice, and how many came and were rejected in all. */
export interface LongRecords extends Pick<Records, 'received' | 'rejected'> {
  readonly slices: AsyncIterable<Records>;
}

/** A body that was read; `close` it in the end. */
export interface OpenBody {
  readonly read: ReadEnvelope;
  /** The records of a long body; throws `WireShapeError`. A short one has them in its envelope. */
  readonly records: ((resource: Resource) => LongRecords) | null;
  close(): Promise<void>;
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
  /** Location of the records of a long body; null if they are in `data`. */
  readonly records: OpenBody['records'];
}

/** Reasons to ignore an event. Its message is kept. */
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

/** Permanent failures of an event. Its message is dead and keeps its body. */
export type UnusableReason = 'nested_too_deep' | 'needs_too_much_memory';

/**
 * The effect of an event. Making a plan reads the data of the event and throws `WireShapeError` if it is unusable. A
 * plan may be stored more than once; it holds only together with the mark of its message.
 */
export type Plan = RecordsPlan | WritePlan | WriteAnywayPlan | Ignore;

/** Records, which are stored together with those of other messages. */
export interface RecordsPlan {
  readonly kind: 'records';
  /** One slice; of a long body many, of which all but the last are stored alone. */
  readonly slices: readonly [Records] | AsyncIterable<Records>;
  readonly outcome: RecordsOutcome;
}

/** `points_rejected`: some records could not be stored · `unreadable_data`: none could. */
export type RecordsOutcome =
  | { readonly status: 'done'; readonly reason?: 'points_rejected' }
  | { readonly status: 'dead'; readonly reason: 'unreadable_data' };

/** Whatever else is written about the account (`accounts.id`). */
export interface WritePlan {
  readonly kind: 'write';
  readonly write: Write;
}
export type Write = (tx: Tx, account: number) => Promise<void>;

/** Stored for any user, because upstream has not matched it yet. The account is null if none is named. */
export interface WriteAnywayPlan {
  readonly kind: 'write_anyway';
  readonly write: (tx: Tx, account: number | null) => Promise<void>;
}

export interface Ignore {
  readonly kind: 'ignore';
  readonly reason: IgnoredReason;
}

/** A plan for records, of which so many came and were rejected. */
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

/** Event types are words, dots and underscores; anything else is no name to store or to show. */
export const eventTypePattern = /^[A-Za-z0-9_.-]{1,128}$/;

export type ReadEnvelope =
  | { readonly kind: 'event'; readonly envelope: Envelope }
  | { readonly kind: 'unusable'; readonly reason: UnusableReason }
  | Ignore;

/** Reads a body once, outside every transaction. Never throws: whatever was signed is kept, understood or not. */
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

/** Orders, devices, summaries and the like name their user themselves; an event may hold one inside its data too. */
function namesAnother(userId: unknown, data: WireFields): boolean {
  const own = textOrNull(userId)?.toLowerCase();
  if (own === undefined) return false;
  return [data, ...Object.values(data).filter(isFields)].some((object) => {
    const named = textOrNull(object['user_id']);
    return named !== null && named.toLowerCase() !== own;
  });
}

/** The records of an event. Throws `WireShapeError` where there is no telling what they are. */
export function recordsOf(resource: Resource, data: unknown): Records {
  return resource.family === 'summary' ? mapSummaries(resource, [data]) : mapGroups(resource, [readGroup(data)]);
}

function isEventType(value: unknown): value is string {
  return typeof value === 'string' && eventTypePattern.test(value);
}

/** The subject of an event, which selects its handler. `other` is everything unknown: kept, never refused. */
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
  ['labtest', 'match_review', '*', 'match_review'],
  ['lab_report', 'parsing_job', '*', 'parsing_job'],
  ['continuous_query', '*', '*', 'query_result'],
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
