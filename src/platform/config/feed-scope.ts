/** Kinds of changes that consumers can follow. */
export const changeKinds = [
  'account',
  'source',
  'history.complete',
  'samples',
  'sample_hours',
  'summary',
  'order',
  'order_transaction',
  'redraw',
  'appointment',
  'result',
  'critical_result',
  'erasure',
  'alarm',
  'answers',
] as const;
export type ChangeKind = (typeof changeKinds)[number];

/** The part of the change feed that a key may read. */
export interface FeedScope {
  readonly kinds: readonly ChangeKind[];
  /** True if entries include the current values of what changed. */
  readonly values: boolean;
}

/** All kinds without values; operator keys may read this. */
export const thinScope: FeedScope = { kinds: changeKinds, values: false };

/**
 * Parses a role such as `feed`, `feed+values` or `feed+values/account/order`; without kinds it has all of them. Null if
 * the text has another form.
 */
export function feedScope(text: string): FeedScope | null {
  const [role, ...names] = text.split('/');
  if (role !== 'feed' && role !== 'feed+values') return null;
  const kinds = names.flatMap((name) => changeKinds.find((kind) => kind === name) ?? []);
  if (kinds.length !== names.length || new Set(kinds).size !== kinds.length) return null;
  return { kinds: kinds.length === 0 ? changeKinds : kinds, values: role === 'feed+values' };
}
