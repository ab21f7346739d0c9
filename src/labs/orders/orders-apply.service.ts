import { Injectable } from '@nestjs/common';
import { ErasureGuard } from '../../accounts/erasure-guard/erasure-guard.service.js';
import { isWritable } from '../../accounts/erasure-guard/open-accounts.js';
import { parseUtcInstant, unlessAhead } from '../../platform/platform/time.js';
import type { NewChange } from '../../storage/change-log/change.js';
import { noteChanges } from '../../storage/change-log/note-changes.js';
import type { Tx } from '../../storage/database/tx.js';
import type { WireOrder, WireOrderTransaction } from '../../upstream/client/wire-orders.js';
import { IdempotencyKeys } from '../keys/idempotency-keys.service.js';
import { NAMED_ORDER_WAIT_MS } from '../keys/tuning.js';
import { placementOf } from './correlation-id.js';
import { CriticalResults } from './critical-results.service.js';
import { DueReads, orderRead, resultRead } from './due-reads.repository.js';
import { factOfAppointment, factOfCritical, mergeAppointment, mergeCritical } from './lab-events.js';
import { LabEventsRepository } from './lab-events.repository.js';
import { changeOf, criticalSubject, settledChanges } from './order-changes.js';
import {
  type Facts,
  factsOfIds,
  factsOfOrder,
  factsOfTransaction,
  type Observed,
  type OrderFact,
  type TransactionFact,
} from './order-facts.js';
import { isNewer, mergeOrder, mergeTransaction, type OrderRow } from './order-merge.js';
import { OrdersRepository } from './orders.repository.js';
import type { OrderIds } from './orders.service.js';
import { type OrderSource, OrdersTelemetry } from './orders.telemetry.js';
import { type Chain, type ChainFlag, lossOf, type Need, redrawChain } from './redraw-chain.js';
import { hasResults, orderBringsResults, transactionBringsResults } from './result-due.js';
import type { ResultSubject } from './result-subject.js';

/** Account, time and source of a report about an order. */
export interface Reported extends Observed {
  readonly source: OrderSource;
}

interface Seen {
  readonly observed_at: number;
}

/** Effects of applied facts. */
interface Applied {
  readonly changes: NewChange[];
  readonly newOrderIds: string[];
  /** Transactions to settle: those of the orders, now and before. */
  readonly transactionIds: Set<string>;
  /** The action an order transaction newly needs. */
  newNeed: Need | null;
  /** Orders to read again soon: new ones without a known event, and all of a newly flagged transaction. */
  readonly doubtful: string[];
  /** Orders and transactions with new or changed results, and their accounts if known. */
  readonly resultsDue: (ResultSubject & { readonly account: number | null })[];
}

function newApplied(): Applied {
  return { changes: [], newOrderIds: [], transactionIds: new Set(), newNeed: null, doubtful: [], resultsDue: [] };
}

/**
 * Entry point for everything that upstream reports about orders, by webhook, list or response. Stores the pair of ids,
 * the position in the redraw chain, state and history, appointments and critical results, but no patient data. In the
 * same database transaction, requests reads of orders and results and settles the placement. Every `apply` is
 * idempotent and accepts facts in any order (order-merge.ts). For a person who was or is being erased, it returns false
 * and stores nothing.
 */
@Injectable()
export class OrdersApply {
  constructor(
    private readonly orders: OrdersRepository,
    private readonly labEvents: LabEventsRepository,
    private readonly critical: CriticalResults,
    private readonly keys: IdempotencyKeys,
    private readonly guard: ErasureGuard,
    private readonly telemetry: OrdersTelemetry,
    private readonly dueReads: DueReads,
  ) {}

  /**
   * Applies an order from the REST API or `labtest.order.*`. Completes its waiting refresh, unless the order is from an
   * event that is older than the stored row. Creates rows for unknown orders in the embedded transaction; a redraw may
   * arrive before or after its initial order (docs/upstream/orders.md#redraw). `account` is that of the order's
   * `user_id`.
   */
  async applyOrder(tx: Tx, order: WireOrder, reported: Reported): Promise<boolean> {
    const completeRefresh = (): Promise<void> =>
      this.dueReads.complete(tx, orderRead(order.id), { ...reported, now: tx.now });
    if (await this.isSuppressed(tx, reported.account, [order.user_id])) {
      await completeRefresh();
      return false;
    }
    const { doubtful, isOutdated } = await this.apply(tx, factsOfOrder(order, reported), reported, order.id);
    if (reported.source !== 'message' || !isOutdated) await completeRefresh();
    const { account, observedAt: at } = reported;
    const callId = placementOf(order);
    if (callId !== null && account !== null) await this.keys.done(tx, { subject: 'order', callId, account }, order.id);
    const { interpretation } = order;
    const version = parseUtcInstant(order.updated_at) ?? at;
    // An older report repeats a word that upstream may have taken back since.
    if (!isOutdated) await this.critical.applyOrder(tx, order.id, { account, interpretation, version, at });
    await this.readSoon(tx, doubtful, reported);
    return true;
  }

  /**
   * Applies a transaction in either of its shapes (docs/upstream/orders.md#two-shapes). It has no user, so `userIds`
   * are the upstream users of those of its orders that were read with it.
   */
  async applyTransaction(
    tx: Tx,
    transaction: WireOrderTransaction,
    reported: Reported,
    userIds: readonly string[] = [],
  ): Promise<boolean> {
    if (await this.isSuppressed(tx, reported.account, userIds)) return false;
    const { doubtful } = await this.apply(tx, factsOfTransaction(transaction, reported), reported);
    await this.readSoon(tx, doubtful, reported);
    return true;
  }

  /** Stores only ids, which are not from upstream, and requests a read of the order. */
  async applyIds(tx: Tx, ids: OrderIds, reported: Reported): Promise<boolean> {
    if (await this.isSuppressed(tx, reported.account)) return false;
    await this.apply(tx, factsOfIds(ids, reported), reported);
    await this.dueReads.request(tx, orderRead(ids.order_id), reported.observedAt);
    return true;
  }

  /** Applies the `data` of `labtest.appointment.*`. Throws `WireShapeError` without an order id. */
  async applyAppointment(tx: Tx, data: unknown, reported: Reported): Promise<boolean> {
    const fact = factOfAppointment(data, reported);
    const { order_id, order_transaction_id } = fact;
    if (!(await this.expectOrder(tx, { order_id, order_transaction_id }, reported))) return false;
    const stored = await this.labEvents.lockAppointment(tx, fact);
    const row = merged(tx.now, stored, (before) => mergeAppointment(before, fact, reported.observedAt));
    await this.labEvents.saveAppointment(tx, row);
    await noteChanges(tx, changeOf('appointment', row.appointment_id, stored, row), reported.observedAt);
    await this.labEvents.adoptFromOrders(tx, [order_id], reported.observedAt);
    return true;
  }

  /**
   * Applies the `data` of `labtest.result.critical`, which has no transaction id
   * (docs/upstream/results.md#critical-result-event). Throws `WireShapeError`.
   */
  async applyCritical(tx: Tx, data: unknown, reported: Reported): Promise<boolean> {
    const { account, observedAt } = reported;
    const fact = factOfCritical(data, reported);
    const { order_id } = fact;
    if (!(await this.expectOrder(tx, { order_id, order_transaction_id: null }, reported))) return false;
    const stored = await this.labEvents.lockCritical(tx, fact);
    const row = merged(tx.now, stored, (before) => mergeCritical(before, fact, observedAt));
    await this.labEvents.saveCritical(tx, row);
    await noteChanges(tx, changeOf('critical_result', criticalSubject(row), stored, row), observedAt);
    await this.labEvents.adoptFromOrders(tx, [order_id], observedAt);
    // Store the result now, because otherwise a later correction could not be detected.
    await this.dueReads.request(tx, resultRead({ scope: 'order', id: order_id }), observedAt, { account });
    return true;
  }

  /**
   * Applies an event about an order that has no content to store: requests reads of the order and of its results, if it
   * has any. Ignores an event about an order of another account.
   */
  async applyNotice(tx: Tx, orderId: string, reported: Reported): Promise<boolean> {
    if (!(await this.expectOrder(tx, { order_id: orderId, order_transaction_id: null }, reported))) return false;
    const { account, observedAt } = reported;
    const order = await this.orders.findOrder(tx, orderId);
    if (!order || (order.account_id !== null && order.account_id !== account)) return true;
    await this.dueReads.request(tx, orderRead(orderId), observedAt);
    const subject = { scope: 'order', id: orderId } as const;
    const mayHaveResult = hasResults(order) || (await this.dueReads.isResultKnown(tx, subject));
    if (mayHaveResult) await this.dueReads.request(tx, resultRead(subject), observedAt, { account: order.account_id });
    return true;
  }

  /** True if the account or a user was or is being erased. Counts facts that name an erased user. */
  private async isSuppressed(tx: Tx, account: number | null, userIds: readonly string[] = []): Promise<boolean> {
    for (const userId of userIds) if (await this.guard.countIfErased(tx, userId)) return true;
    return account !== null && !(await isWritable(tx, account));
  }

  /** Creates a row for an unknown order and requests a read of it. False for a person who was or is being erased. */
  private async expectOrder(tx: Tx, ids: OrderIds, reported: Reported): Promise<boolean> {
    if (!(await this.orders.findOrder(tx, ids.order_id))) return this.applyIds(tx, ids, reported);
    return !(await this.isSuppressed(tx, reported.account));
  }

  private async readSoon(tx: Tx, orderIds: readonly string[], { observedAt }: Reported): Promise<void> {
    const dueAt = observedAt + NAMED_ORDER_WAIT_MS;
    for (const orderId of orderIds) await this.dueReads.request(tx, orderRead(orderId), observedAt, { dueAt });
  }

  /** Returns the orders to read soon. `read`: the order in this report; `isOutdated` if the stored row is newer. */
  private async apply(
    tx: Tx,
    facts: Facts,
    { observedAt, source }: Reported,
    read?: string,
  ): Promise<{ doubtful: string[]; isOutdated: boolean }> {
    const applied = newApplied();
    const flagBefore = facts.transaction && (await this.mergeTransaction(tx, facts.transaction, observedAt, applied));
    const orders: OrderRow[] = [];
    for (const fact of inLockOrder(facts.orders)) orders.push(await this.mergeOrder(tx, fact, observedAt, applied));
    const doubtful = applied.doubtful.filter((id) => id !== read);
    for (const id of applied.transactionIds) {
      const chain = await this.settleTransaction(tx, id, applied, observedAt);
      const isReported = facts.transaction?.order_transaction_id === id;
      if (isReported && chain?.flag && chain.flag !== flagBefore) {
        doubtful.push(...chain.orders.map((order) => order.order_id));
      }
    }
    await noteChanges(tx, applied.changes, observedAt);
    const orderIds = orders.map((order) => order.order_id);
    if (orderIds.length > 0) await this.labEvents.adoptFromOrders(tx, orderIds, observedAt);
    for (const { account, ...subject } of applied.resultsDue) {
      await this.dueReads.request(tx, resultRead(subject), observedAt, { account });
    }
    tx.afterCommit(() => this.telemetry.applied(source, applied.newOrderIds.length, applied.newNeed));
    const isOutdated = facts.orders.some((fact) => {
      return fact.order_id === read && orders.some((row) => row.order_id === read && row.version > fact.version);
    });
    return { doubtful, isOutdated };
  }

  /** Returns the transaction's previous flag. */
  private async mergeTransaction(
    tx: Tx,
    fact: TransactionFact,
    observedAt: number,
    { changes, resultsDue }: Applied,
  ): Promise<ChainFlag | null> {
    const stored = await this.orders.lockTransaction(tx, fact);
    const orders = await this.orders.ordersOf(tx, fact.order_transaction_id);
    const row = merged(tx.now, stored, (before) => mergeTransaction(before, fact, observedAt));
    await this.orders.saveTransaction(tx, row);
    const { order_transaction_id: id, account_id: account } = row;
    changes.push(...changeOf('order_transaction', id, stored, row));
    const isKnown = (): Promise<boolean> => this.dueReads.isResultKnown(tx, { scope: 'transaction', id });
    if (await transactionBringsResults(stored, row, isKnown)) resultsDue.push({ scope: 'transaction', id, account });
    return redrawChain(stored.status, orders).flag;
  }

  private async mergeOrder(tx: Tx, fact: OrderFact, observedAt: number, applied: Applied): Promise<OrderRow> {
    const stored = await this.orders.lockOrder(tx, fact);
    const isLater = isNewer(asEvidence(tx.now, stored), fact.version, observedAt);
    await this.orders.mergeEvents(tx, fact.order_id, fact.events, isLater);
    const events = await this.orders.eventsOf(tx, fact.order_id);
    const row = merged(tx.now, stored, (before) => mergeOrder(before, fact, events, observedAt));
    await this.orders.saveOrder(tx, row);
    const { order_id: id, account_id: account } = row;
    for (const { order_transaction_id } of [row, stored]) {
      if (order_transaction_id !== null) applied.transactionIds.add(order_transaction_id);
    }
    applied.changes.push(...changeOf('order', id, stored, row));
    const isKnown = (): Promise<boolean> => this.dueReads.isResultKnown(tx, { scope: 'order', id });
    if (await orderBringsResults(stored, row, isKnown)) applied.resultsDue.push({ scope: 'order', id, account });
    if (stored.stored_at === 0) {
      applied.newOrderIds.push(id);
      if (events.length === 0) applied.doubtful.push(id);
    }
    return row;
  }

  /** Gives the orders of a transaction one account, and stores the needed action. */
  private async settleTransaction(tx: Tx, id: string, applied: Applied, at: number): Promise<Chain<OrderRow> | null> {
    const transaction = await this.orders.findTransaction(tx, id);
    if (!transaction) return null;
    const orders = await this.orders.ordersOf(tx, id);
    const account = transaction.account_id ?? orders.find((order) => order.account_id !== null)?.account_id ?? null;
    if (account !== null) {
      await this.orders.fillAccounts(tx, id, account);
      const adopted = orders.filter((order) => order.account_id === null && hasResults(order));
      applied.resultsDue.push(...adopted.map(({ order_id }) => ({ scope: 'order' as const, id: order_id, account })));
      if (transaction.account_id === null && transaction.status === 'completed') {
        applied.resultsDue.push({ scope: 'transaction', id, account });
      }
    }
    const chain = redrawChain(transaction.status, orders, transaction.replaced_loss);
    const { needs, needs_after, flag } = chain;
    const loss = redrawChain(transaction.status, orders).needs === 'replace' ? lossOf(orders) : null;
    await this.orders.saveOutcome(tx, transaction, { account, needs, needs_after, flag, loss, at });
    applied.changes.push(...settledChanges(transaction, orders, { account, needs }));
    if (needs !== transaction.needs) applied.newNeed = needs ?? applied.newNeed;
    return chain;
  }
}

/** Merges a row whose last observation may be in the future, because the clock was set back. */
function merged<Row extends Seen>(now: number, stored: Row, merge: (before: Row) => Row): Row {
  const row = merge(asEvidence(now, stored));
  return row.observed_at === 0 ? { ...row, observed_at: stored.observed_at } : row;
}

/** The row with an observation time to compare with: 0 if the stored time is in the future. */
function asEvidence<Row extends Seen>(now: number, row: Row): Row {
  return { ...row, observed_at: unlessAhead(row.observed_at, now) };
}

/** Sorted, so that concurrent jobs lock the same orders in the same sequence and cannot deadlock. */
function inLockOrder(orders: readonly OrderFact[]): OrderFact[] {
  return [...orders].sort((a, b) => (a.order_id < b.order_id ? -1 : 1));
}
