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

/** True if a result of the order or transaction is stored or waited for. */
type IsKnown = () => Promise<boolean>;

/**
 * True if the merge shows that results of the order are new or may have changed. An order that moves to a status
 * without results, such as a lost sample, may have lost those that were read before.
 */
export async function orderBringsResults(before: OrderRow, after: OrderRow, isKnown: IsKnown): Promise<boolean> {
  return orderHasMoved(before, after) && (hasResults(after) || (await isKnown()));
}

/** The same of a transaction, whose results are there once it is completed. */
export async function transactionBringsResults(
  before: TransactionRow,
  after: TransactionRow,
  isKnown: IsKnown,
): Promise<boolean> {
  return hasMoved(before, after) && (after.status === 'completed' || (await isKnown()));
}

function orderHasMoved(before: OrderRow, after: OrderRow): boolean {
  return before.status_at !== after.status_at || hasMoved(before, after);
}

type Moving = Pick<OrderRow, 'status' | 'version' | 'account_id'>;

function hasMoved(before: Moving, after: Moving): boolean {
  return before.status !== after.status || after.version > before.version || isAdopted(before, after);
}

type Owned = Pick<OrderRow, 'account_id'>;

/** True if the row just got its account; without one, results are not fetched. */
function isAdopted(before: Owned, after: Owned): boolean {
  return before.account_id === null && after.account_id !== null;
}
