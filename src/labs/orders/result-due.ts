import type { OrderRow, TransactionRow } from './order-merge.js';
import { lowLevel } from './order-status.js';

/**
 * States in which there are results to read, those of an order that waits for a redraw too
 * (docs/upstream/orders.md#redraw).
 */
const readable: ReadonlySet<string> = new Set(['partial_results', 'completed', 'corrected', 'redraw_available']);

/** True for an order whose state says that there are results to read. */
export function hasResults({ status }: Pick<OrderRow, 'status'>): boolean {
  return status !== null && readable.has(lowLevel(status));
}

/** True when what was merged into an order says that its results are new or may have changed. */
export function orderBringsResults(before: OrderRow, after: OrderRow): boolean {
  return hasResults(after) && hasMoved(before, after);
}

/** True when a transaction is completed, or something of a completed one was changed. */
export function transactionBringsResults(before: TransactionRow, after: TransactionRow): boolean {
  return after.status === 'completed' && (before.status !== after.status || after.version > before.version);
}

function hasMoved(before: OrderRow, after: OrderRow): boolean {
  return before.status !== after.status || before.status_at !== after.status_at || after.version > before.version;
}
