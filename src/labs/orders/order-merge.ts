import type { OrderEntity, OrderTransactionEntity } from './order.entity.js';
import type { EventFact, OrderFact, ReportedStatus, TransactionFact } from './order-facts.js';
import { lowLevel } from './order-status.js';

/*
 * Merges upstream's reports into a stored row. The same facts give the same row, in any order and any number of times.
 *
 *   ids, origin, parent   facts from the creation: filled in if missing, replaced only by a newer observation
 *   version               `updated_at`; the greater wins; if equal, the later observation
 *   status                of the newest event, by time, then id (never by rank, because `corrected` follows `completed`
 *                         and the top level moves back). A status reported outside of events counts only if it is
 *                         newer than all events, or as new as the newest and in none of them
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
    ...latestStatus(events, laterReport(reportOf(stored), fact.reported, newer)),
    created_at: stored.version === 0 && fact.version > 0 ? fact.created_at : stored.created_at,
    version: newer ? fact.version : stored.version,
    observed_at: newer ? observedAt : stored.observed_at,
    stored_at: stored.stored_at === 0 ? observedAt : stored.stored_at,
  };
}

function reportOf({ status, status_detail, status_at }: OrderRow): ReportedStatus | null {
  return status === null ? null : { status, status_detail, status_at };
}

function laterReport(
  stored: ReportedStatus | null,
  said: ReportedStatus | null,
  newer: boolean,
): ReportedStatus | null {
  if (!stored || !said) return stored ?? said;
  const [a, b] = [stored.status_at ?? -1, said.status_at ?? -1];
  if (a === b) return newer ? said : stored;
  return a > b ? stored : said;
}

const noStatus = { status: null, status_detail: null, status_at: null };

function latestStatus(
  events: readonly EventFact[],
  reported: ReportedStatus | null,
): Pick<OrderRow, 'status' | 'status_detail' | 'status_at'> {
  const newest = newestEvent(events);
  if (!newest || (reported && addsTo(events, newest, reported))) return reported ?? noStatus;
  return { status: newest.status, status_detail: newest.status_detail, status_at: newest.created_at };
}

/** By time, then by id. */
function newestEvent(events: readonly EventFact[]): EventFact | null {
  return events.reduce<EventFact | null>((best, event) => {
    if (!best || event.created_at > best.created_at) return event;
    return event.created_at === best.created_at && event.event_id > best.event_id ? event : best;
  }, null);
}

/** True if a reported status is newer than all events, or as new as the newest and in none of that time. */
function addsTo(events: readonly EventFact[], newest: EventFact, reported: ReportedStatus): boolean {
  if (reported.status_at === null || reported.status_at < newest.created_at) return false;
  if (reported.status_at > newest.created_at) return true;
  const word = lowLevel(reported.status);
  return !events.some((event) => event.created_at === reported.status_at && lowLevel(event.status) === word);
}

const ends: ReadonlySet<string | null> = new Set(['completed', 'cancelled']);

export function mergeTransaction(stored: TransactionRow, fact: TransactionFact, observedAt: number): TransactionRow {
  const newer = replaces(stored, fact, observedAt);
  return {
    order_transaction_id: stored.order_transaction_id,
    account_id: pick(newer, stored.account_id, fact.account_id),
    status: newer ? fact.status : stored.status,
    needs: stored.needs,
    created_at: mergedCreation(stored, fact),
    version: newer ? fact.version : stored.version,
    observed_at: newer ? observedAt : stored.observed_at,
    told_at: stored.told_at,
    told_by: stored.told_by,
    told_how: stored.told_how,
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
