import type { OrderRow, TransactionRow } from './order-merge.js';
import { lowLevel } from './order-status.js';

/**
 * States in which there are results to read, those of an order that waits for a redraw too
 * (docs/upstream/orders.md#redraw).
 */
const readable: ReadonlySet<string> = new Set(['partial_results', 'completed', 'corrected', 'redraw_available']);

/** True if the state of the order shows that results are available. */
export function hasResults({ status }: Pick<OrderRow, 'status'>): boolean {
  return status !== null && readable.has(lowLevel(status));
}

/** True if the merge shows that results of the order are new or may have changed. */
export function orderBringsResults(before: OrderRow, after: OrderRow): boolean {
  return hasResults(after) && hasMoved(before, after);
}

/** True if a transaction was completed, or a completed one has changed. */
export function transactionBringsResults(before: TransactionRow, after: TransactionRow): boolean {
  return after.status === 'completed' && (before.status !== after.status || after.version > before.version);
}

function hasMoved(before: OrderRow, after: OrderRow): boolean {
  return before.status !== after.status || before.status_at !== after.status_at || after.version > before.version;
}
