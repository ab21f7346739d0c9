import {
  asFields,
  asKey,
  asList,
  asText,
  dateOrNull,
  listOrEmpty,
  numberOrNull,
  readEach,
  refuse,
  textOrNull,
  type Unreadable,
  type WireFields,
} from '../../platform/platform/json-reader.js';
import {
  listOrNone,
  nested,
  object,
  objectOrNull,
  openObject,
  type ReadObject,
  type Wire,
  withId,
} from '../../platform/platform/json-shape.js';

const readEvent = object('event', {
  id: numberOrNull,
  /** Three parts, such as `received.walk_in_test.ordered`; upstream may add values. */
  status: asText,
  status_detail: textOrNull,
  created_at: textOrNull,
});

export type WireOrderEvent = Wire<typeof readEvent>;

function lastPart(status: string | null): string | null {
  return status === null ? null : (status.split('.').at(-1) ?? null);
}

function readTransactionOrder(value: unknown) {
  const order = asFields(value, 'orders[]');
  return {
    id: asKey(order.id, 'orders[].id'),
    /** `initial`, `redraw`, `recreation` or a new value. */
    origin: textOrNull(order.origin),
    parent_id: textOrNull(order.parent_id),
    /** The last part of a status; upstream may add values. */
    low_level_status: lastPart(textOrNull(order.last_status) ?? textOrNull(order.low_level_status)),
    low_level_status_created_at:
      textOrNull(order.last_status_created_at) ?? textOrNull(order.low_level_status_created_at),
    created_at: textOrNull(order.created_at),
    updated_at: textOrNull(order.updated_at),
  };
}

/** An order as listed in its transaction. */
export type WireTransactionOrder = ReturnType<typeof readTransactionOrder>;

/** An order transaction from either of its two shapes (docs/upstream/orders.md#two-shapes). */
export const readOrderTransaction = object('order_transaction', {
  id: asKey,
  /** `active`, `completed`, `cancelled` or a new value. */
  status: asText,
  /** Empty if upstream omitted the list, so an empty list proves nothing. */
  orders: listOrNone(readTransactionOrder),
});

export type WireOrderTransaction = Wire<typeof readOrderTransaction>;

const readEmbeddedTransaction = objectOrNull(readOrderTransaction);

const readLab = object('lab', { name: textOrNull });
const readTest = object('lab_test', { name: textOrNull, lab: objectOrNull(readLab) });
const readDetails = object('details', { type: textOrNull });

/**
 * An order from the REST API or an order event (docs/upstream/orders.md#the-order-object). Throws `WireShapeError`;
 * without `unreadable`, also for an unreadable event or an unreadable order of its transaction.
 */
export const readOrder = openObject('order', {
  id: asKey,
  user_id: asText,
  created_at: textOrNull,
  updated_at: textOrNull,
  events: listOrNone(readEvent),
  /** The newest event, which is authoritative; null if upstream sent none. */
  last_event: objectOrNull(readEvent),
  /** Deprecated top-level status. */
  status: textOrNull,
  origin: textOrNull,
  /** normal, abnormal, critical, unknown or a new value. */
  interpretation: textOrNull,
  order_transaction: readEmbeddedTransaction,
  lab_test: objectOrNull(readTest),
  /** `type` is the collection method. */
  details: objectOrNull(readDetails),
  /** Null until there is a requisition. */
  sample_id: textOrNull,
  expected_result_by_date: dateOrNull,
  worst_case_result_by_date: dateOrNull,
  activate_by: dateOrNull,
  /** Opaque value set by the creator of the order. */
  passthrough: textOrNull,
});

export type WireOrder = Wire<typeof readOrder>;

export interface WireOrderPage {
  orders: WireOrder[];
  /** Number of listed orders that could not be read. */
  unreadable: number;
  total?: number;
  size?: number;
}

/** Filters of the order list (docs/upstream/orders.md#list-of-orders). The default sort is undocumented, so set it. */
export interface WireOrderFilter {
  user_id?: string;
  order_ids?: readonly string[];
  start_date?: string;
  updated_start_date?: string;
  status?: readonly string[];
  order_key?: 'created_at' | 'patient_name' | 'last_status';
  order_direction?: 'asc' | 'desc';
  /** From 1. */
  page?: number;
  /** 1 to 100. */
  size?: number;
}

export function readOrderPage(value: unknown, unreadable: Unreadable): WireOrderPage {
  const page = asFields(value, 'page');
  const listed = asList(page.orders, 'orders');
  const orders = readEach(listed, (order) => readOrder(order, unreadable), unreadable);
  const result: WireOrderPage = { orders, unreadable: listed.length - orders.length };
  for (const key of ['total', 'size'] as const) {
    const count = numberOrNull(page[key]);
    if (count !== null) result[key] = count;
  }
  return result;
}

/** Response to create order. */
export const readOrderAnswer = object('answer', { order: nested(readOrder) });

export type WireOrderAnswer = Wire<typeof readOrderAnswer>;

/** Reads the response to cancel order; throws if it is about another order. */
export function readAnswerAbout(orderId: string): ReadObject<WireOrderAnswer> {
  return object('answer', { order: nested(withId(readOrder, 'id', orderId)) });
}

/** Results of an order or order transaction (docs/upstream/results.md#the-result), with all of upstream's fields. */
export interface WireResult {
  metadata: WireFields;
  /** `final` if upstream sent none. Never show a partial result as final. */
  status: string;
  /** Biomarkers; in old results, an object of any shape. */
  results: unknown;
  missing_results: unknown[];
  order_transaction: WireOrderTransaction | null;
}

export function readResult(value: unknown, unreadable: Unreadable = refuse): WireResult {
  const result = asFields(value, 'result');
  const metadata = asFields(result.metadata, 'metadata');
  return {
    ...result,
    metadata,
    status: textOrNull(metadata.status) ?? 'final',
    results: result.results ?? null,
    missing_results: listOrEmpty(result.missing_results),
    order_transaction: readEmbeddedTransaction(result.order_transaction, 'order_transaction', unreadable),
  };
}
