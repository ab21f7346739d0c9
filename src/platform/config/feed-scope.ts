/** Kinds of changes that consumers can follow. */
export const changeKinds = [
  'account',
  'source',
  'history.complete',
  'samples',
  'summary',
  'order',
  'order_transaction',
  'redraw',
  'appointment',
  'result',
  'critical_result',
  'erasure',
  'alarm',
] as const;
export type ChangeKind = (typeof changeKinds)[number];

/** The part of the change feed that a key may read. */
export interface FeedScope {
  readonly kinds: readonly ChangeKind[];
  /** True if entries come with the present values of what changed. */
  readonly values: boolean;
}

/** Everything without values: what keys of operators may read. */
export const thinScope: FeedScope = { kinds: changeKinds, values: false };

/**
 * The scope of a role as configured: `feed`, `feed+values`, and after it the kinds, as in `feed+values/account/order`;
 * without kinds all of them. Null if it is no such text.
 */
export function feedScope(text: string): FeedScope | null {
  const [role, ...names] = text.split('/');
  if (role !== 'feed' && role !== 'feed+values') return null;
  const kinds = names.flatMap((name) => changeKinds.find((kind) => kind === name) ?? []);
  if (kinds.length !== names.length || new Set(kinds).size !== kinds.length) return null;
  return { kinds: kinds.length === 0 ? changeKinds : kinds, values: role === 'feed+values' };
}
