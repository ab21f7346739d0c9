import { parseUtcInstant } from '../../platform/platform/time.js';
import type {
  WireOrder,
  WireOrderEvent,
  WireOrderTransaction,
  WireTransactionOrder,
} from '../../upstream/client/wire-orders.js';
import type { OrderName } from './order.entity.js';

/*
 * Stored facts of an order and its transaction. This is the allowlist: it drops the patient, address, physician, notes
 * and results of upstream's object, and keeps only the names of lab test and lab.
 */

/** An event of an order; upstream's id is unique within the order. */
export interface EventFact {
  readonly event_id: number;
  readonly created_at: number;
  readonly status: string;
  readonly status_detail: string | null;
}

/** The status by a report: the last event of the order, or a status outside of events. */
export interface ReportedStatus {
  readonly status: string;
  readonly status_detail: string | null;
  readonly status_at: number | null;
  /** Null for a status outside of events. */
  readonly event_id: number | null;
}

export interface OrderFact {
  readonly order_id: string;
  readonly order_transaction_id: string | null;
  readonly origin: string | null;
  readonly parent_id: string | null;
  /** Null if the source has no names of orders. */
  readonly name: OrderName | null;
  /** Null if the owner is unknown or missing in the source. */
  readonly account_id: number | null;
  readonly created_at: number;
  /** `updated_at` in epoch milliseconds; 0 while only ids are known. */
  readonly version: number;
  readonly reported: ReportedStatus | null;
  readonly events: readonly EventFact[];
}

export interface TransactionFact {
  readonly order_transaction_id: string;
  readonly account_id: number | null;
  readonly status: string | null;
  readonly created_at: number;
  readonly version: number;
}

export interface Facts {
  readonly transaction: TransactionFact | null;
  readonly orders: readonly OrderFact[];
}

/** Owner of the order, and the time of the read or first receipt in epoch milliseconds. */
export interface Observed {
  readonly account: number | null;
  readonly observedAt: number;
}

function newest(times: readonly (number | null)[]): number | null {
  return times.reduce((best, time) => (time !== null && (best === null || time > best) ? time : best), null);
}

/** Facts of the order and of the other orders in its embedded transaction. */
export function factsOfOrder(order: WireOrder, observed: Observed): Facts {
  const embedded = order.order_transaction;
  const own = embedded?.orders.find((listed) => listed.id === order.id);
  const fact = orderFact(order, own, observed);
  if (!embedded) return { transaction: null, orders: [fact] };
  const others = embedded.orders.filter((listed) => listed !== own);
  const transaction = transactionFact(embedded, observed, fact);
  return { transaction, orders: [fact, ...others.map((other) => listedFact(other, embedded.id, observed.observedAt))] };
}

/** Facts of a transaction in either of its shapes (docs/upstream/orders.md#two-shapes). */
export function factsOfTransaction(wire: WireOrderTransaction, observed: Observed): Facts {
  return {
    transaction: transactionFact(wire, observed, null),
    orders: wire.orders.map((order) => listedFact(order, wire.id, observed.observedAt)),
  };
}

/** Facts of an order of which only ids are known. Anything that upstream reports takes precedence. */
export function factsOfIds(
  ids: { order_id: string; order_transaction_id: string | null },
  { account, observedAt }: Observed,
): Facts {
  const { order_transaction_id } = ids;
  const known = { account_id: account, created_at: observedAt, version: 0 };
  const order = { ...ids, ...known, origin: null, parent_id: null, name: null, reported: null, events: [] };
  const transaction = order_transaction_id === null ? null : { order_transaction_id, ...known, status: null };
  return { transaction, orders: [order] };
}

function orderFact(order: WireOrder, own: WireTransactionOrder | undefined, observed: Observed): OrderFact {
  const { events, reported } = eventsOf(order);
  const happened = events.map((event) => event.created_at);
  const created = parseUtcInstant(order.created_at) ?? (own ? parseUtcInstant(own.created_at) : null);
  return {
    order_id: order.id,
    order_transaction_id: order.order_transaction?.id ?? null,
    origin: order.origin ?? own?.origin ?? null,
    // Only the list of the transaction has the parent (docs/upstream/orders.md#two-shapes).
    parent_id: own?.parent_id ?? null,
    name: nameOf(order),
    account_id: observed.account,
    created_at: created ?? Math.min(...happened, observed.observedAt),
    version: parseUtcInstant(order.updated_at) ?? newest(happened) ?? created ?? 0,
    reported,
    events,
  };
}

function nameOf({ lab_test, details, sample_id, ...order }: WireOrder): OrderName {
  return {
    lab_test_name: lab_test?.name ?? null,
    lab_name: lab_test?.lab?.name ?? null,
    collection_method: details?.type ?? null,
    sample_id,
    expected_result_by_date: order.expected_result_by_date,
    worst_case_result_by_date: order.worst_case_result_by_date,
    activate_by: order.activate_by,
  };
}

function eventsOf(order: WireOrder): { events: EventFact[]; reported: ReportedStatus | null } {
  const all = order.last_event ? [...order.events, order.last_event] : order.events;
  const byId = new Map<number, EventFact>();
  for (const event of all) {
    const fact = eventFact(event);
    if (fact) byId.set(fact.event_id, fact);
  }
  const events = [...byId.values()];
  return { events, reported: reportedBy(order, events) };
}

/**
 * `last_event` is authoritative, also if an event before it in the list is newer
 * (docs/upstream/orders.md#order-events).
 */
function reportedBy(order: WireOrder, events: readonly EventFact[]): ReportedStatus | null {
  const last = order.last_event ?? order.events.find((event) => eventFact(event) === null) ?? null;
  const event = last ? eventFact(last) : newestEvent(events);
  if (event) return statusOf(event.status, event.status_detail, event.created_at, event.event_id);
  if (last) return statusOf(last.status, last.status_detail, parseUtcInstant(last.created_at));
  return order.status === null ? null : statusOf(order.status);
}

/** By time, then by id. */
function newestEvent(events: readonly EventFact[]): EventFact | null {
  return events.reduce<EventFact | null>((best, event) => {
    if (!best || event.created_at > best.created_at) return event;
    return event.created_at === best.created_at && event.event_id > best.event_id ? event : best;
  }, null);
}

function statusOf(
  status: string,
  status_detail: string | null = null,
  status_at: number | null = null,
  event_id: number | null = null,
): ReportedStatus {
  return { status, status_detail, status_at, event_id };
}

function eventFact({ id, created_at, status, status_detail }: WireOrderEvent): EventFact | null {
  const at = parseUtcInstant(created_at);
  return Number.isSafeInteger(id) && id !== null && at !== null
    ? { event_id: id, created_at: at, status, status_detail }
    : null;
}

function listedFact(listed: WireTransactionOrder, transactionId: string, observedAt: number): OrderFact {
  const { low_level_status: status, origin, parent_id } = listed;
  const created = parseUtcInstant(listed.created_at);
  const statusAt = parseUtcInstant(listed.low_level_status_created_at);
  return {
    order_id: listed.id,
    order_transaction_id: transactionId,
    origin,
    parent_id,
    name: null,
    account_id: null,
    created_at: created ?? observedAt,
    version: parseUtcInstant(listed.updated_at) ?? statusAt ?? created ?? 0,
    reported: status === null ? null : statusOf(status, null, statusAt),
    events: [],
  };
}

/**
 * The version of a transaction is the newest time of its orders, because it has no time of its own. Without any order,
 * it is the time of the read.
 */
function transactionFact(wire: WireOrderTransaction, observed: Observed, carrier: OrderFact | null): TransactionFact {
  const times = wire.orders.flatMap((order) => [
    parseUtcInstant(order.updated_at),
    parseUtcInstant(order.low_level_status_created_at),
    parseUtcInstant(order.created_at),
  ]);
  const created = wire.orders.map((order) => parseUtcInstant(order.created_at)).filter((time) => time !== null);
  return {
    order_transaction_id: wire.id,
    account_id: observed.account,
    status: wire.status,
    created_at: Math.min(...created, carrier?.created_at ?? observed.observedAt),
    version: newest([...times, carrier?.version ?? null]) ?? observed.observedAt,
  };
}
