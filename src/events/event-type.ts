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

/** Splits an event type by its dots (supplement 5.4); resource names hold underscores, never dots. */
export function readEventType(eventType: string): EventName {
  const words = eventType.split('.');
  const last = words.pop() ?? '';
  const resource = words.pop() ?? '';
  const prefix = words.join('.');
  const fits = (wanted: string, word: string): boolean => wanted === '*' || wanted === word;
  const found = patterns.find(([p, r, l]) => p === prefix && fits(r, resource) && fits(l, last));
  return { family: found?.[3] ?? 'other', resource };
}
