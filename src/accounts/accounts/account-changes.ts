import type { ChangeAction } from '../../storage/change-log/change.js';
import { noteChanges } from '../../storage/change-log/note-changes.js';
import type { Tx } from '../../storage/database/tx.js';

/** Adds changes of accounts (`accounts.id`) to the change log. */
export function noteAccounts(tx: Tx, ids: readonly number[], action: ChangeAction, now: number): Promise<void> {
  return noteChanges(
    tx,
    ids.map((id) => ({ kind: 'account', action, account: id, subject: String(id) })),
    now,
  );
}
