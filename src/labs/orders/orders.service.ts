import { Injectable } from '@nestjs/common';
import { ErasureGuard } from '../../accounts/erasure-guard/erasure-guard.service.js';
import type { NewChange } from '../../storage/change-log/change.js';
import { noteChanges } from '../../storage/change-log/note-changes.js';
import type { Tx } from '../../storage/database/tx.js';
import type { WireOrder, WireOrderTransaction } from '../../upstream/client/wire-orders.js';
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
import { type OrderSubject, OrdersRepository } from './orders.repository.js';
import { type ChainFlag, type Need, redrawChain } from './redraw-chain.js';
import { hasResults, orderBringsResults, transactionBringsResults } from './result-due.js';
import type { ResultSubject } from './result-subject.js';

export type { Observed } from './order-facts.js';
export type { OrderSubject } from './orders.repository.js';

/** Grace period for an order named by another to arrive before it is read from upstream. */
const PATIENCE_MS = 60_000;

/** An order and, if known, its transaction. */
export interface OrderIds {
  readonly order_id: string;
  readonly order_transaction_id: string | null;
}

/** An order to read from upstream, from `dueAt` on (epoch milliseconds). */
export interface Refetch {
  readonly orderId: string;
  readonly dueAt: number;
}

/** An order or transaction with new or changed results, and its account (`accounts.id`) if known. */
export interface ResultsDue extends OrderSubject {
  readonly account: number | null;
}

/** Changes made by an applied fact: pass it on in the same database transaction, report it after the commit. */
export interface Applied {
  /** True if the person was or is being erased; nothing was stored. */
  readonly isSuppressed: boolean;
  readonly newOrderIds: readonly string[];
  /** The action the order transaction newly needs. */
  readonly newNeed: Need | null;
  readonly toRefetch: readonly Refetch[];
  readonly resultsDue: readonly ResultsDue[];
}

interface Outcome extends Pick<Applied, 'newOrderIds' | 'newNeed' | 'resultsDue'> {
  /** New orders without a known event. */
  readonly withoutEvents: readonly string[];
  /** Orders of a newly flagged transaction. */
  readonly doubtful: readonly string[];
}

interface MergedTransaction {
  /** The flag before the merge. */
  readonly flagBefore: ChainFlag | null;
  readonly due: readonly ResultsDue[];
}

interface MergedOrder {
  readonly row: OrderRow;
  readonly isNew: boolean;
  readonly hasEvents: boolean;
  readonly due: readonly ResultsDue[];
}

interface SettledTransaction {
  readonly newNeed: Need | null;
  readonly flag: ChainFlag | null;
  readonly orderIds: readonly string[];
}

const nothing: Applied = { isSuppressed: false, newOrderIds: [], newNeed: null, toRefetch: [], resultsDue: [] };
const suppressed: Applied = { ...nothing, isSuppressed: true };

/**
 * Stores what upstream says of orders: the pair of ids, the place in the redraw chain, state and history, appointments
 * and critical results, and nothing of the patient. Every `apply` is idempotent, takes facts in any order
 * (order-merge.ts) and stores nothing of an erased person. It runs in the transaction that marks its source as done;
 * what follows from it is for the caller to hand on (OrderIntake).
 */
@Injectable()
export class OrdersService {
  constructor(
    private readonly orders: OrdersRepository,
    private readonly labEvents: LabEventsRepository,
    private readonly guard: ErasureGuard,
  ) {}

  /**
   * An order of the REST interface or of `labtest.order.*`. Its embedded transaction makes rows for orders not known
   * yet, a redraw before or after its initial order (docs/upstream/orders.md#redraw). `account` is the one of its
   * `user_id`.
   */
  async applyOrder(tx: Tx, order: WireOrder, observed: Observed): Promise<Applied> {
    if (await this.isSuppressed(tx, observed.account, [order.user_id])) return suppressed;
    const { withoutEvents, doubtful, ...applied } = await this.apply(tx, factsOfOrder(order, observed), observed);
    const others = withoutEvents.filter((id) => id !== order.id);
    return {
      ...nothing,
      ...applied,
      toRefetch: refetches([...others, ...doubtful], observed.observedAt + PATIENCE_MS),
    };
  }

  /**
   * A transaction in either of its shapes (docs/upstream/orders.md#two-shapes). It names nobody: `userIds` are the
   * upstream users of its orders as far as those were read with it.
   */
  async applyTransaction(
    tx: Tx,
    transaction: WireOrderTransaction,
    observed: Observed,
    userIds: readonly string[] = [],
  ): Promise<Applied> {
    if (await this.isSuppressed(tx, observed.account, userIds)) return suppressed;
    const facts = factsOfTransaction(transaction, observed);
    const { withoutEvents, doubtful, ...applied } = await this.apply(tx, facts, observed);
    const toRefetch = refetches([...withoutEvents, ...doubtful], observed.observedAt + PATIENCE_MS);
    return { ...nothing, ...applied, toRefetch };
  }

  /** Ids alone, not from upstream; schedules a read of the order. */
  async applyIds(tx: Tx, ids: OrderIds, observed: Observed): Promise<Applied> {
    if (await this.isSuppressed(tx, observed.account)) return suppressed;
    const { withoutEvents, doubtful, ...applied } = await this.apply(tx, factsOfIds(ids, observed), observed);
    return { ...nothing, ...applied, toRefetch: refetches([ids.order_id], observed.observedAt) };
  }

  /** The `data` of `labtest.appointment.*`. Throws `WireShapeError` when it names no order. */
  async applyAppointment(tx: Tx, data: unknown, observed: Observed): Promise<Applied> {
    const fact = factOfAppointment(data, observed);
    const { order_id, order_transaction_id } = fact;
    const applied = await this.expectOrder(tx, { order_id, order_transaction_id }, observed);
    if (applied.isSuppressed) return applied;
    const stored = await this.labEvents.lockAppointment(tx, fact);
    const row = mergeAppointment(stored, fact, observed.observedAt);
    await this.labEvents.saveAppointment(tx, row);
    await noteChanges(tx, changeOf('appointment', row.appointment_id, stored, row), observed.observedAt);
    await this.labEvents.adoptFromOrders(tx, [order_id], observed.observedAt);
    return applied;
  }

  /**
   * The `data` of `labtest.result.critical`, which names no transaction
   * (docs/upstream/results.md#critical-result-event). Throws `WireShapeError`.
   */
  async applyCritical(tx: Tx, data: unknown, observed: Observed): Promise<Applied> {
    const fact = factOfCritical(data, observed);
    const { order_id } = fact;
    const applied = await this.expectOrder(tx, { order_id, order_transaction_id: null }, observed);
    if (applied.isSuppressed) return applied;
    const stored = await this.labEvents.lockCritical(tx, fact);
    const row = mergeCritical(stored, fact, observed.observedAt);
    await this.labEvents.saveCritical(tx, row);
    await noteChanges(tx, changeOf('critical_result', criticalSubject(row), stored, row), observed.observedAt);
    await this.labEvents.adoptFromOrders(tx, [order_id], observed.observedAt);
    // Only a stored critical result can be seen to be corrected later.
    const resultsDue = [...applied.resultsDue, { scope: 'order', id: order_id, account: observed.account } as const];
    return { ...applied, resultsDue };
  }

  /**
   * News about an order that hold nothing to be stored themselves: it is read again, and so are results it has. News
   * about the order of another account change nothing.
   */
  async applyNotice(tx: Tx, orderId: string, observed: Observed): Promise<Applied> {
    const applied = await this.expectOrder(tx, { order_id: orderId, order_transaction_id: null }, observed);
    const order = await this.orders.findOrder(tx, orderId);
    if (applied.isSuppressed || !order) return applied;
    const { account_id: account } = order;
    if (account !== null && account !== observed.account) return nothing;
    const toRefetch = refetches([orderId], observed.observedAt);
    const resultsDue: ResultsDue[] = hasResults(order) ? [{ scope: 'order', id: orderId, account }] : [];
    return { ...applied, toRefetch, resultsDue };
  }

  /** False if the stored row contradicts the ids or the account. */
  async fits(tx: Tx, ids: OrderIds, account: number): Promise<boolean> {
    const order = await this.orders.findOrder(tx, ids.order_id);
    const transaction =
      ids.order_transaction_id === null ? null : await this.orders.findTransaction(tx, ids.order_transaction_id);
    const agrees = <T>(stored: T | null | undefined, given: T | null): boolean => (stored ?? given) === given;
    return (
      agrees(order?.account_id, account) &&
      agrees(order?.order_transaction_id, ids.order_transaction_id) &&
      agrees(transaction?.account_id, account)
    );
  }

  /**
   * The account (`accounts.id`) of an order or transaction, which nobody else can change until the database transaction
   * ends. Null when there is none, or when it may not be written to.
   */
  async lockOwner(tx: Tx, subject: OrderSubject): Promise<number | null> {
    const account = await this.orders.lockOwner(tx, subject);
    return account !== null && (await this.guard.isWritable(tx, account)) ? account : null;
  }

  /** Ids under which upstream may name the account's orders: of the orders, their transactions and appointments. */
  idsOf(tx: Tx, account: number): Promise<string[]> {
    return this.orders.idsOf(tx, account);
  }

  /** What a reading of the order's result says about the critical results that events reported. */
  async noteCritical(tx: Tx, orderId: string, isCritical: boolean, observedAt: number): Promise<void> {
    if (isCritical) await this.labEvents.reopenCritical(tx, orderId, observedAt);
    else await this.labEvents.settleCritical(tx, orderId, observedAt);
  }

  /** Subjects whose results contain values of this one: the transaction of an order, the orders of a transaction. */
  async overlappingResults(tx: Tx, { scope, id }: ResultSubject): Promise<ResultSubject[]> {
    if (scope === 'transaction') {
      const orders = await this.orders.ordersOf(tx, id);
      return orders.map(({ order_id }) => ({ scope: 'order', id: order_id }));
    }
    const transactionId = (await this.orders.findOrder(tx, id))?.order_transaction_id;
    return transactionId ? [{ scope: 'transaction', id: transactionId }] : [];
  }

  /** Counts facts that name an erased user. */
  private async isSuppressed(tx: Tx, account: number | null, userIds: readonly string[] = []): Promise<boolean> {
    for (const userId of userIds) if (await this.guard.countIfErased(tx, userId)) return true;
    return account !== null && !(await this.guard.isWritable(tx, account));
  }

  /** An order known only by reference gets a row and a scheduled read. */
  private async expectOrder(tx: Tx, ids: OrderIds, observed: Observed): Promise<Applied> {
    if (!(await this.orders.findOrder(tx, ids.order_id))) return this.applyIds(tx, ids, observed);
    return (await this.isSuppressed(tx, observed.account)) ? suppressed : nothing;
  }

  private async apply(tx: Tx, facts: Facts, { observedAt }: Observed): Promise<Outcome> {
    const changes: NewChange[] = [];
    const transaction = facts.transaction && (await this.mergeTransaction(tx, facts.transaction, observedAt, changes));
    const merged: MergedOrder[] = [];
    for (const fact of inLockOrder(facts.orders)) merged.push(await this.mergeOrder(tx, fact, observedAt, changes));
    const orderIds = merged.map(({ row }) => row.order_id);
    const transactionIds = merged.map(({ row }) => row.order_transaction_id).filter((id) => id !== null);
    let newNeed: Need | null = null;
    const doubtful: string[] = [];
    for (const id of new Set(transactionIds)) {
      const settled = await this.settleTransaction(tx, id, changes);
      newNeed = settled?.newNeed ?? newNeed;
      const isReported = facts.transaction?.order_transaction_id === id;
      if (isReported && settled?.flag && settled.flag !== transaction?.flagBefore) doubtful.push(...settled.orderIds);
    }
    await noteChanges(tx, changes, observedAt);
    if (orderIds.length > 0) await this.labEvents.adoptFromOrders(tx, orderIds, observedAt);
    const added = merged.filter(({ isNew }) => isNew);
    return {
      newOrderIds: added.map(({ row }) => row.order_id),
      newNeed,
      resultsDue: [...(transaction?.due ?? []), ...merged.flatMap(({ due }) => due)],
      withoutEvents: added.filter(({ hasEvents }) => !hasEvents).map(({ row }) => row.order_id),
      doubtful,
    };
  }

  private async mergeTransaction(
    tx: Tx,
    fact: TransactionFact,
    observedAt: number,
    changes: NewChange[],
  ): Promise<MergedTransaction> {
    const stored = await this.orders.lockTransaction(tx, fact);
    const orders = await this.orders.ordersOf(tx, fact.order_transaction_id);
    const row = mergeTransaction(stored, fact, observedAt);
    await this.orders.saveTransaction(tx, row);
    changes.push(...changeOf('order_transaction', row.order_transaction_id, stored, row));
    const { order_transaction_id: id, account_id: account } = row;
    return {
      flagBefore: redrawChain(stored.status, orders).flag,
      due: transactionBringsResults(stored, row) ? [{ scope: 'transaction', id, account }] : [],
    };
  }

  private async mergeOrder(tx: Tx, fact: OrderFact, observedAt: number, changes: NewChange[]): Promise<MergedOrder> {
    const stored = await this.orders.lockOrder(tx, fact);
    await this.orders.mergeEvents(tx, fact.order_id, fact.events, isNewer(stored, fact.version, observedAt));
    const events = await this.orders.eventsOf(tx, fact.order_id);
    const row = mergeOrder(stored, fact, events, observedAt);
    await this.orders.saveOrder(tx, row);
    changes.push(...changeOf('order', row.order_id, stored, row));
    const { order_id: id, account_id: account } = row;
    return {
      row,
      isNew: stored.stored_at === 0,
      hasEvents: events.length > 0,
      due: orderBringsResults(stored, row) ? [{ scope: 'order', id, account }] : [],
    };
  }

  /** Gives the orders of a transaction one account, and stores the action needed. */
  private async settleTransaction(tx: Tx, id: string, changes: NewChange[]): Promise<SettledTransaction | null> {
    const transaction = await this.orders.findTransaction(tx, id);
    if (!transaction) return null;
    const orders = await this.orders.ordersOf(tx, id);
    const account = transaction.account_id ?? orders.find((order) => order.account_id !== null)?.account_id ?? null;
    if (account !== null) await this.orders.fillAccounts(tx, id, account);
    const { needs, flag } = redrawChain(transaction.status, orders);
    await this.orders.saveOutcome(tx, id, { account, needs });
    changes.push(...settledChanges(transaction, orders, { account, needs }));
    const newNeed = needs === transaction.needs ? null : needs;
    return { newNeed, flag, orderIds: orders.map((order) => order.order_id) };
  }
}

function refetches(orderIds: readonly string[], dueAt: number): Refetch[] {
  return orderIds.map((orderId) => ({ orderId, dueAt }));
}

/** Two jobs that touch the same orders lock them in the same sequence, so neither waits for the other in a circle. */
function inLockOrder(orders: readonly OrderFact[]): OrderFact[] {
  return [...orders].sort((a, b) => (a.order_id < b.order_id ? -1 : 1));
}
