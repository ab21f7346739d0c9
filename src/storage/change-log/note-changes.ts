import { traceChanges } from '../../platform/platform/traces.js';
import { shapeOf } from '../database/columns.js';
import type { BulkShape, Tx } from '../database/tx.js';
import { PendingChangeEntity } from './change.entity.js';
import type { ChangeOrigin, NewChange } from './change.js';

const shape: BulkShape = { ...shapeOf(PendingChangeEntity), update: [] };

const origins = new WeakMap<Tx, ChangeOrigin>();

/** Changes noted later in this transaction have this origin unless they name their own. */
export function setOrigin(tx: Tx, origin: ChangeOrigin): void {
  origins.set(tx, origin);
}

/** Called after a commit that noted changes. */
const listeners = new Set<() => void>();

/** Calls `noted` after every commit in this process that noted changes. Returns a function that stops this. */
export function onNoted(noted: () => void): () => void {
  listeners.add(noted);
  return () => void listeners.delete(noted);
}

/**
 * Notes changes in the transaction that makes them, so that neither is stored without the other. Call it after the
 * changed rows are locked, so that the changes of an object are numbered in the order in which they were made. `now` in
 * epoch milliseconds.
 */
export async function noteChanges(tx: Tx, changes: readonly NewChange[], now: number): Promise<void> {
  if (changes.length === 0) return;
  const ofTransaction = origins.get(tx) ?? 'live';
  const values = changes.flatMap(({ kind, action, origin = ofTransaction, account, subject, ...more }) => {
    const { resource = null, provider = null, samples } = more;
    const { start = null, end = null, count = null, firstDay = null, lastDay = null } = samples ?? {};
    return [now, kind, action, origin, account, subject, resource, provider, start, end, count, firstDay, lastDay];
  });
  await tx.bulk(shape, values);
  traceChanges(changes, now);
  tx.afterCommit(() => {
    for (const noted of listeners) noted();
  });
}

/** A rule by which stored records are read: of an account (`accounts.id`), or of all if null. */
export interface ChangedRule {
  readonly account: number | null;
  readonly rule: 'time_zone' | `source_priorities/${string}`;
}

/** Notes that answers such as those of `daily` may differ although no record has changed, because a rule has. */
export function noteAnswers(tx: Tx, { account, rule }: ChangedRule, now: number): Promise<void> {
  return noteChanges(tx, [{ kind: 'answers', action: 'changed', account, subject: rule }], now);
}
