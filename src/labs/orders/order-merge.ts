import type { OrderEntity, OrderName, OrderTransactionEntity } from './order.entity.js';
import type { EventFact, OrderFact, TransactionFact } from './order-facts.js';
import { lowLevel } from './order-status.js';

/*
 * Merges upstream's reports into a stored row. The same facts give the same row, in any order and any number of times.
 *
 *   ids, origin, parent   facts from the creation: filled in if missing, replaced only by a newer observation
 *   name, sample, dates   of the greatest version that has them, each kept where a newer one does not say
 *   version               `updated_at`; the greater wins; if equal, the later observation
 *   status                as the report with the greatest version shows it, also if that takes a later event back. Of
 *                         equal versions, by the time of the status, then by event id (never by rank, because
 *                         `corrected` follows `completed` and the top level moves back). All events stay as history
 *   transaction status    by version; if equal, `completed` and `cancelled` win over `active`, because they are final
 */

export type OrderRow = OrderEntity;
export type TransactionRow = OrderTransactionEntity;

type Versioned = Pick<OrderRow, 'version' | 'observed_at'>;

/** True if the observation replaces the stored row. */
export function isNewer(stored: Versioned, version: number, observedAt: number): boolean {
  return version > stored.version || (version === stored.version && observedAt >= stored.observed_at);
}

function pick<T>(newer: boolean, stored: T | null, reported: T | null): T | null {
  return newer ? (reported ?? stored) : (stored ?? reported);
}

/** `events` are all stored events of the order, including those of the fact. */
export function mergeOrder(
  stored: OrderRow,
  fact: OrderFact,
  events: readonly EventFact[],
  observedAt: number,
): OrderRow {
  const newer = isNewer(stored, fact.version, observedAt);
  return {
    order_id: stored.order_id,
    account_id: pick(newer, stored.account_id, fact.account_id),
    order_transaction_id: pick(newer, stored.order_transaction_id, fact.order_transaction_id),
    origin: pick(newer, stored.origin, fact.origin),
    parent_id: pick(newer, stored.parent_id, fact.parent_id),
    ...mergedName(stored, fact, newer),
    ...latestStatus(stored, fact, newer, events),
    created_at: stored.version === 0 && fact.version > 0 ? fact.created_at : stored.created_at,
    version: newer ? fact.version : stored.version,
    observed_at: newer ? observedAt : stored.observed_at,
    stored_at: stored.stored_at === 0 ? observedAt : stored.stored_at,
  };
}

function mergedName(stored: OrderRow, { name, version }: OrderFact, newer: boolean): Named {
  const later = version > stored.named_version || (version === stored.named_version && newer);
  const of = (key: keyof OrderName): string | null => pick(later, stored[key], name?.[key] ?? null);
  return {
    lab_test_name: of('lab_test_name'),
    lab_name: of('lab_name'),
    collection_method: of('collection_method'),
    sample_id: of('sample_id'),
    expected_result_by_date: of('expected_result_by_date'),
    worst_case_result_by_date: of('worst_case_result_by_date'),
    activate_by: of('activate_by'),
    named_version: name && later ? version : stored.named_version,
  };
}

type Named = OrderName & Pick<OrderRow, 'named_version'>;
type Status = Pick<OrderRow, 'status' | 'status_detail' | 'status_at' | 'status_version' | 'status_event_id'>;

/** Both are compared spelled out, because the report may bring the event that the stored word was from. */
function latestStatus(
  stored: OrderRow,
  { reported, version }: OrderFact,
  newer: boolean,
  events: readonly EventFact[],
): Status {
  const { status, status_detail, status_at, status_version, status_event_id } = stored;
  const before = spelledOut({ status, status_detail, status_at, status_version, status_event_id }, events);
  if (!reported) return before;
  const { event_id, ...said } = reported;
  const after = spelledOut({ ...said, status_version: version, status_event_id: event_id }, events);
  if (before.status === null) return after;
  const [was, is] = [before.status_event_id, after.status_event_id];
  const steps = [after.status_version - before.status_version, (after.status_at ?? -1) - (before.status_at ?? -1)];
  if (was !== null && is !== null) steps.push(is - was);
  const step = steps.find((each) => each !== 0);
  if (step !== undefined) return step > 0 ? after : before;
  // At the same instant, a word that no event has is the newer one.
  if (was !== null || is !== null) return is === null ? after : before;
  return newer ? after : before;
}

/** A status that is only the last part of one, with the other parts if it is the status of a known event. */
function spelledOut(said: Status, events: readonly EventFact[]): Status {
  if (said.status === null || said.status_at === null || said.status_event_id !== null) return said;
  const word = lowLevel(said.status);
  const at = events.filter((event) => event.created_at === said.status_at && lowLevel(event.status) === word);
  const event = at.toSorted((a, b) => b.event_id - a.event_id)[0];
  if (!event) return said;
  return { ...said, status: event.status, status_detail: event.status_detail, status_event_id: event.event_id };
}

const ends: ReadonlySet<string | null> = new Set(['completed', 'cancelled']);

export function mergeTransaction(stored: TransactionRow, fact: TransactionFact, observedAt: number): TransactionRow {
  const newer = replaces(stored, fact, observedAt);
  return {
    order_transaction_id: stored.order_transaction_id,
    account_id: pick(newer, stored.account_id, fact.account_id),
    status: newer ? fact.status : stored.status,
    needs: stored.needs,
    needs_after: stored.needs_after,
    needs_since: stored.needs_since,
    inconsistent_since: stored.inconsistent_since,
    replaced_at: stored.replaced_at,
    replaced_by: stored.replaced_by,
    replaced_loss: stored.replaced_loss,
    created_at: mergedCreation(stored, fact),
    version: newer ? fact.version : stored.version,
    observed_at: newer ? observedAt : stored.observed_at,
    notified_at: stored.notified_at,
    notified_by: stored.notified_by,
    notified_how: stored.notified_how,
  };
}

function replaces(stored: TransactionRow, fact: TransactionFact, observedAt: number): boolean {
  if (fact.version !== stored.version) return fact.version > stored.version;
  const [before, after] = [ends.has(stored.status), ends.has(fact.status)];
  return before === after ? observedAt >= stored.observed_at : after;
}

function mergedCreation(stored: TransactionRow, fact: TransactionFact): number {
  if (fact.version === 0) return stored.created_at;
  return stored.version === 0 ? fact.created_at : Math.min(stored.created_at, fact.created_at);
}
