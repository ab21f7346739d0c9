import { isDeepStrictEqual } from 'node:util';
import type { ChangeKind } from '../../platform/config/feed-scope.js';
import type { NewChange } from '../../storage/change-log/change.js';
import type { Need } from './redraw-chain.js';

/** Columns that may differ although nothing changed for consumers. */
interface Watched {
  readonly account_id: number | null;
  readonly observed_at?: number;
  readonly stored_at?: number;
  readonly version?: number;
}

/** The subject of a critical result in the change feed: the order, and the sample or what says so. */
export function criticalSubject({ order_id, finding }: { order_id: string; finding: string }): string {
  return `${order_id}/${finding}`;
}

/**
 * The change from a stored row to its replacement; none if the content is the same. A row without an account is not
 * reported to consumers; it counts as created once it has one.
 */
export function changeOf<Row extends Watched>(kind: ChangeKind, subject: string, stored: Row, row: Row): NewChange[] {
  const { account_id: account } = row;
  if (account === null) return [];
  if (stored.account_id !== null && isDeepStrictEqual(content(stored), content(row))) return [];
  return [{ kind, action: stored.account_id === null ? 'created' : 'changed', account, subject }];
}

function content({ observed_at: _, stored_at: __, version: ___, ...rest }: Watched): object {
  return rest;
}

interface OfTransaction {
  readonly order_id: string;
  readonly account_id: number | null;
}

/** Changes after a transaction and its orders got an account and the needed action. */
export function settledChanges(
  before: { readonly order_transaction_id: string; readonly account_id: number | null; readonly needs: Need | null },
  orders: readonly OfTransaction[],
  { account, needs }: { readonly account: number | null; readonly needs: Need | null },
): NewChange[] {
  if (account === null) return [];
  const { order_transaction_id: id } = before;
  const adopted = orders.filter(({ account_id }) => account_id === null);
  const changes = adopted.map(({ order_id }): NewChange => {
    return { kind: 'order', action: 'created', account, subject: order_id };
  });
  const isNew = before.account_id === null;
  if (isNew || before.needs !== needs) {
    changes.push({ kind: 'order_transaction', action: isNew ? 'created' : 'changed', account, subject: id });
  }
  const [was, is] = [!isNew && before.needs === 'redraw', needs === 'redraw'];
  if (was !== is) changes.push({ kind: 'redraw', action: is ? 'created' : 'gone', account, subject: id });
  return changes;
}
