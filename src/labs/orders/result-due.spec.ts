import type { OrderRow, TransactionRow } from './order-merge.js';
import { orderBringsResults, transactionBringsResults } from './result-due.js';

const unnamed = {
  lab_test_name: null,
  lab_name: null,
  collection_method: null,
  sample_id: null,
  expected_result_by_date: null,
  worst_case_result_by_date: null,
  activate_by: null,
  named_version: 0,
};
const order = (status: string | null, version = 1, status_at: number | null = version): OrderRow => ({
  order_id: 'o',
  account_id: 1,
  order_transaction_id: 't',
  origin: 'initial',
  parent_id: null,
  ...unnamed,
  status,
  status_detail: null,
  status_at,
  status_version: version,
  status_event_id: null,
  created_at: 1,
  version,
  observed_at: 1,
  stored_at: 1,
});
const transaction = (status: string | null, version = 1): TransactionRow => ({
  order_transaction_id: 't',
  account_id: 1,
  status,
  needs: null,
  needs_after: null,
  needs_since: null,
  inconsistent_since: null,
  replaced_at: null,
  replaced_by: null,
  replaced_loss: null,
  created_at: 1,
  version,
  observed_at: 1,
  notified_at: null,
  notified_by: null,
  notified_how: null,
});

const completed = 'completed.walk_in_test.completed';
const partial = 'sample_with_lab.walk_in_test.partial_results';

const known = (): Promise<boolean> => Promise.resolve(true);
const unknown = (): Promise<boolean> => Promise.resolve(false);

describe('an order has results to fetch', () => {
  it.each([
    [order('received.walk_in_test.ordered'), order(completed, 2)],
    [order('received.walk_in_test.ordered'), order(partial, 2)],
    [order(partial), order(partial, 2)],
    [order(completed), order('completed.walk_in_test.corrected', 2)],
    [order('ordered'), order('collecting_sample.walk_in_test.redraw_available', 2)],
    [order(null, 0, null), order('completed', 5)],
    [order(completed), order(completed, 2, 1)],
  ])('%#', async (before, after) => {
    expect(await orderBringsResults(before, after, unknown)).toBe(true);
  });
});

describe('an order has no results to fetch', () => {
  it.each([
    ['if it progresses without results', order('ordered'), order('requisition_created', 2)],
    ['if it was cancelled', order('ordered'), order('cancelled.walk_in_test.cancelled', 2)],
  ])('%s, unless a result is known that may be gone', async (_, before, after) => {
    expect(await orderBringsResults(before, after, unknown)).toBe(false);
    expect(await orderBringsResults(before, after, known)).toBe(true);
  });

  it.each([
    ['if it was already completed', order(completed), order(completed)],
    ['if only its id is known', order(null, 0, null), order(null, 0, null)],
  ])('%s', async (_, before, after) => {
    expect(await orderBringsResults(before, after, known)).toBe(false);
  });
});

describe('a transaction', () => {
  it.each([
    [transaction('active'), transaction('completed', 2), { ifUnknown: true, ifKnown: true }],
    [transaction(null, 0), transaction('completed'), { ifUnknown: true, ifKnown: true }],
    [transaction('completed'), transaction('completed', 2), { ifUnknown: true, ifKnown: true }],
    [transaction('completed'), transaction('completed'), { ifUnknown: false, ifKnown: false }],
    [transaction('active'), transaction('active', 2), { ifUnknown: false, ifKnown: true }],
    [transaction('active'), transaction('cancelled', 2), { ifUnknown: false, ifKnown: true }],
    [transaction('completed'), transaction('active', 2), { ifUnknown: false, ifKnown: true }],
  ])('has results to fetch once it is completed, and after later changes: %#', async (before, after, brings) => {
    expect(await transactionBringsResults(before, after, unknown)).toBe(brings.ifUnknown);
    expect(await transactionBringsResults(before, after, known)).toBe(brings.ifKnown);
  });
});
