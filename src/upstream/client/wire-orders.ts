import {
  asFields,
  asKey,
  asList,
  asText,
  isFields,
  listOrEmpty,
  numberOrNull,
  readEach,
  refuse,
  textOrNull,
  type Unreadable,
  type WireFields,
} from '../../platform/platform/json-reader.js';

export interface WireOrderEvent {
  id: number | null;
  /** Three parts, `received.walk_in_test.ordered`; open. */
  status: string;
  status_detail: string | null;
  created_at: string | null;
}

/** An order as its transaction lists it. */
export interface WireTransactionOrder {
  id: string;
  /** Open: `initial`, `redraw`, `recreation`. */
  origin: string | null;
  parent_id: string | null;
  /** The last part of a status; open. */
  low_level_status: string | null;
  low_level_status_created_at: string | null;
  created_at: string | null;
  updated_at: string | null;
}

/** Both shapes of an order transaction (docs/upstream/orders.md#two-shapes) in one. */
export interface WireOrderTransaction {
  id: string;
  team_id: string | null;
  /** Open: `active`, `completed`, `cancelled`. */
  status: string;
  /** Empty if upstream omitted the list, so an empty list proves nothing. */
  orders: WireTransactionOrder[];
}

/**
 * An order (docs/upstream/orders.md#the-order-object). All fields of upstream are still there at run time, the unknown
 * ones too.
 */
export interface WireOrder {
  id: string;
  user_id: string;
  team_id: string | null;
  created_at: string | null;
  updated_at: string | null;
  events: WireOrderEvent[];
  /** The newest event, authoritative; null when upstream sent none. */
  last_event: WireOrderEvent | null;
  /** Deprecated top-level status. */
  status: string | null;
  origin: string | null;
  order_transaction: WireOrderTransaction | null;
  /** Opaque value set by the creator of the order. */
  passthrough: string | null;
}

export interface WireOrderPage {
  orders: WireOrder[];
  /** Number of listed orders that could not be read. */
  unreadable: number;
  total?: number;
  page?: number;
  size?: number;
}

/** Filters of the order list (docs/upstream/orders.md#list-of-orders). The default sort is undocumented, so set it. */
export interface WireOrderFilter {
  order_transaction_id?: string;
  user_id?: string;
  order_ids?: readonly string[];
  start_date?: string;
  end_date?: string;
  updated_start_date?: string;
  /** A date without time means its beginning here, its end in `end_date`. */
  updated_end_date?: string;
  status?: readonly string[];
  order_type?: readonly string[];
  order_activation_types?: readonly string[];
  interpretation?: string;
  is_critical?: boolean;
  order_key?: 'created_at' | 'patient_name' | 'last_status';
  order_direction?: 'asc' | 'desc';
  /** From 1. */
  page?: number;
  /** 1 to 100. */
  size?: number;
}

/** Response of create and cancel. */
export interface WireOrderAnswer {
  order: WireOrder;
  status: string | null;
}

/** Results of an order or a transaction (docs/upstream/results.md#the-result), with all of upstream's fields. */
export interface WireResult {
  metadata: WireFields;
  /** `final` unless upstream says otherwise; a partial is never to be shown as final. */
  status: string;
  /** Biomarkers, or a free object in old results. */
  results: unknown;
  missing_results: unknown[];
  order_transaction: WireOrderTransaction | null;
}

function lastPart(status: string | null): string | null {
  return status === null ? null : (status.split('.').at(-1) ?? null);
}

function readEvent(value: unknown): WireOrderEvent {
  const event = asFields(value, 'event');
  return {
    id: numberOrNull(event.id),
    status: asText(event.status, 'event.status'),
    status_detail: textOrNull(event.status_detail),
    created_at: textOrNull(event.created_at),
  };
}

function readTransactionOrder(value: unknown): WireTransactionOrder {
  const order = asFields(value, 'orders[]');
  return {
    id: asKey(order.id, 'orders[].id'),
    origin: textOrNull(order.origin),
    parent_id: textOrNull(order.parent_id),
    low_level_status: lastPart(textOrNull(order.last_status) ?? textOrNull(order.low_level_status)),
    low_level_status_created_at:
      textOrNull(order.last_status_created_at) ?? textOrNull(order.low_level_status_created_at),
    created_at: textOrNull(order.created_at),
    updated_at: textOrNull(order.updated_at),
  };
}

export function readOrderTransaction(value: unknown, unreadable: Unreadable = refuse): WireOrderTransaction {
  const transaction = asFields(value, 'order_transaction');
  return {
    id: asKey(transaction.id, 'order_transaction.id'),
    team_id: textOrNull(transaction.team_id),
    status: asText(transaction.status, 'order_transaction.status'),
    orders: readEach(listOrEmpty(transaction.orders), readTransactionOrder, unreadable),
  };
}

/** Null for what cannot be read, as for what is not there. */
function readEmbedded<T>(value: unknown, read: (fields: WireFields) => T, unreadable: Unreadable): T | null {
  return isFields(value) ? (readEach([value], read, unreadable)[0] ?? null) : null;
}

function readEmbeddedTransaction(value: unknown, unreadable: Unreadable): WireOrderTransaction | null {
  return readEmbedded(value, (fields) => readOrderTransaction(fields, unreadable), unreadable);
}

/**
 * An order of the REST interface or of an order event. Throws `WireShapeError`, without `unreadable` also for an
 * unreadable event or order of its transaction.
 */
export function readOrder(value: unknown, unreadable: Unreadable = refuse): WireOrder {
  const order = asFields(value, 'order');
  return {
    ...order,
    id: asKey(order.id, 'order.id'),
    user_id: asText(order.user_id, 'order.user_id'),
    team_id: textOrNull(order.team_id),
    created_at: textOrNull(order.created_at),
    updated_at: textOrNull(order.updated_at),
    events: readEach(listOrEmpty(order.events), readEvent, unreadable),
    last_event: readEmbedded(order.last_event, readEvent, unreadable),
    status: textOrNull(order.status),
    origin: textOrNull(order.origin),
    order_transaction: readEmbeddedTransaction(order.order_transaction, unreadable),
    passthrough: textOrNull(order.passthrough),
  };
}

export function readOrderPage(value: unknown, unreadable: Unreadable): WireOrderPage {
  const page = asFields(value, 'page');
  const listed = asList(page.orders, 'orders');
  const orders = readEach(listed, (order) => readOrder(order, unreadable), unreadable);
  const result: WireOrderPage = { orders, unreadable: listed.length - orders.length };
  for (const key of ['total', 'page', 'size'] as const) {
    const count = numberOrNull(page[key]);
    if (count !== null) result[key] = count;
  }
  return result;
}

export function readOrderAnswer(value: unknown, unreadable: Unreadable): WireOrderAnswer {
  const answer = asFields(value, 'answer');
  return { order: readOrder(answer.order, unreadable), status: textOrNull(answer.status) };
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
    order_transaction: readEmbeddedTransaction(result.order_transaction, unreadable),
  };
}
