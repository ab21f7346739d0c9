import type { Resource } from '../../health/catalogue/catalogue.js';
import { mapGroups, mapSummaries } from '../../health/catalogue/map-records.js';
import type { Records } from '../../health/catalogue/records.js';
import { isFields, isTooDeep, parseJson, textOrNull, type WireFields } from '../../platform/platform/json-reader.js';
import type { Tx } from '../../storage/database/tx.js';
import { readGroup } from '../../upstream/client/wire-data.js';

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
  /** What the event is about names another user than the envelope: it must not be stored for either. */
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
  /** Where the records of a long body are; null when they are in `data`. */
  readonly records: OpenBody['records'];
}

/** Why an event needs no effect. Its message is kept all the same. */
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

/** Why nothing can be done with an event, for good. Its message is dead, with its body. */
export type UnusableReason = 'nested_too_deep' | 'needs_too_much_memory';

/**
 * What is to be done about an event. Making a plan reads its data, and throws `WireShapeError` for what cannot be used.
 */
export type Plan = ApplyPlan | Ignore;
export interface ApplyPlan {
  readonly kind: 'apply';
  readonly effects: Effects;
  /** What becomes of the message. */
  readonly outcome: ApplyOutcome;
}

/** `points_rejected`: some records could not be stored · `unreadable_data`: none could. */
export type ApplyOutcome =
  | { readonly status: 'done'; readonly reason?: 'points_rejected' }
  | { readonly status: 'dead'; readonly reason: 'unreadable_data' };

export interface Ignore {
  readonly kind: 'ignore';
  readonly reason: IgnoredReason;
}

/**
 * One effect, or those of a long event in short transactions: the last holds with the mark, those before hold alone.
 */
export type Effects = readonly [Effect] | AsyncIterable<Effect>;

/**
 * What an event changes: records, which are stored together with those of other events, or what a function writes. May
 * be written more than once; holds only together with the mark that its message is done.
 */
export type Effect = ArrivedRecords | Write;
export type Write = (tx: Tx, target: Target) => Promise<void>;

/** Records of one event, or a slice of them. */
export interface ArrivedRecords extends Pick<RoutedEvent, 'seq' | 'receivedAt'> {
  readonly records: Records;
}

/** An effect, and on whom. */
export interface Deed<E extends Effect = Effect> {
  readonly effect: E;
  readonly target: Target;
}

/** Whether an effect is written with fewer statements beside others of its kind. */
export function isOfRecords(effect: Effect): effect is ArrivedRecords {
  return typeof effect !== 'function';
}

export interface Target {
  /** `accounts.id`. */
  readonly account: number;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Runs once the transaction is committed; for log lines and counters. */
  readonly afterCommit: (report: () => void) => void;
}

export function apply(effect: Write): Plan {
  return { kind: 'apply', effects: [effect], outcome: { status: 'done' } };
}

/** For effects that store records, of which so many came and were rejected. */
export function applyRecords(effects: Effects, { received, rejected }: Pick<Records, 'received' | 'rejected'>): Plan {
  const some =
    rejected === 0 ? ({ status: 'done' } as const) : ({ status: 'done', reason: 'points_rejected' } as const);
  const none = { status: 'dead', reason: 'unreadable_data' } as const;
  return { kind: 'apply', effects, outcome: received > 0 && rejected === received ? none : some };
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
  'lab_notice',
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
  ['labtest', 'match_review', '*', 'lab_notice'],
  ['lab_report', 'parsing_job', '*', 'lab_notice'],
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
