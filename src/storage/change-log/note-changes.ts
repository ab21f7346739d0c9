import type { BulkShape, Tx } from '../database/tx.js';
import type { ChangeOrigin, NewChange } from './change.js';

/** The columns of a change that its writer knows. */
export const changeColumns = [
  { name: 'at', type: 'int' },
  { name: 'kind', type: 'text' },
  { name: 'action', type: 'text' },
  { name: 'origin', type: 'text' },
  { name: 'account_id', type: 'int' },
  { name: 'subject', type: 'text' },
  { name: 'resource', type: 'text' },
  { name: 'provider', type: 'text' },
  { name: 'start_time', type: 'int' },
  { name: 'end_time', type: 'int' },
  { name: 'count', type: 'int' },
  { name: 'first_day', type: 'int' },
  { name: 'last_day', type: 'int' },
] as const;

const shape: BulkShape = { table: 'pending_changes', columns: changeColumns, conflict: ['id'], update: [] };

const origins = new WeakMap<Tx, ChangeOrigin>();

/** What a transaction notes from now on has this origin, where a change names none. */
export function setOrigin(tx: Tx, origin: ChangeOrigin): void {
  origins.set(tx, origin);
}

/** Called after a commit that noted changes. */
const listeners = new Set<() => void>();

/** Calls `noted` after every commit that noted changes in this process, until the result is called. */
export function onNoted(noted: () => void): () => void {
  listeners.add(noted);
  return () => void listeners.delete(noted);
}

/**
 * Notes changes in the transaction that makes them, so that one is never stored without the other. Call it after the
 * changed rows are locked: then the changes of one object are numbered in the order in which they were made. `now` in
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
  tx.afterCommit(() => {
    for (const noted of listeners) noted();
  });
}
