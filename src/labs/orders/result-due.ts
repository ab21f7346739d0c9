import type { OrderRow, TransactionRow } from './order-merge.js';
import { lowLevel, phaseOf } from './order-status.js';

/**
 * Low-level statuses with results to read before the order is completed, including an order that waits for a redraw
 * (docs/upstream/orders.md#redraw).
 */
const readable: ReadonlySet<string> = new Set(['partial_results', 'redraw_available']);

/** True if the status of the order shows that results are available. */
export function hasResults({ status }: Pick<OrderRow, 'status'>): boolean {
  return status !== null && (readable.has(lowLevel(status)) || phaseOf(status) === 'completed');
}

/** True if the merge shows that results of the order are new or may have changed. */
export function orderBringsResults(before: OrderRow, after: OrderRow): boolean {
  return hasResults(after) && hasMoved(before, after);
}

/** True if a transaction was completed, or a completed one has changed. */
export function transactionBringsResults(before: TransactionRow, after: TransactionRow): boolean {
  if (after.status !== 'completed') return false;
  return before.status !== after.status || after.version > before.version || isAdopted(before, after);
}

function hasMoved(before: OrderRow, after: OrderRow): boolean {
  if (before.status !== after.status || before.status_at !== after.status_at) return true;
  return after.version > before.version || isAdopted(before, after);
}

type Owned = Pick<OrderRow, 'account_id'>;

/** True if the row just got its account; without one, results are not fetched. */
function isAdopted(before: Owned, after: Owned): boolean {
  return before.account_id === null && after.account_id !== null;
}
