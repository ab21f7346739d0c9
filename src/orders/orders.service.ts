import { Injectable } from '@nestjs/common';
import type { Tx } from '../database/tx.js';
import { ErasureGuard } from '../erasure-guard/erasure-guard.service.js';
import { orderBringsResults, transactionBringsResults } from '../lab-results/result-due.js';
import { ResultFetchRepository } from '../lab-results/result-fetch.repository.js';
import { placementOf } from '../order-placement/correlation-id.js';
import { OrderPlacementsRepository } from '../order-placement/order-placements.repository.js';
import { OrderRefreshRepository } from '../order-reconciliation/order-refresh.repository.js';
import type { WireOrder, WireOrderTransaction } from '../upstream/wire-orders.js';
import { factOfAppointment, factOfCritical, mergeAppointment, mergeCritical } from './lab-events.js';
import { LabEventsRepository } from './lab-events.repository.js';
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
import { type ChainFlag, type Need, redrawChain } from './redraw-chain.js';

/** An order named by another is given this long to come by itself before it is read from upstream. */
const PATIENCE_MS = 60_000;

/** An order and, where it is known, the transaction it belongs to. */
export interface OrderIds {
  readonly order_id: string;
  readonly order_transaction_id: string | null;
}

/** What an applied fact changed, for whoever reports it after the commit. */
export interface Applied {
  /** Ids of orders never heard of before. */
  readonly first: readonly string[];
  /** What the transaction needs from now on, when it did not before. */
  readonly arisen: Need | null;
}

interface Outcome extends Applied {
  /** Orders of a transaction that is flagged from now on: they are read again. */
  readonly doubtful: readonly string[];
}

interface Settled {
  readonly arisen: Need | null;
  readonly flag: ChainFlag | null;
  readonly orderIds: readonly string[];
}

const nothing: Applied = { first: [], arisen: null };

/**
 * Stores what upstream says of orders: the pair of ids, the place in the redraw chain, state and history, and nothing
 * of the patient. Every `apply` is idempotent and takes facts in any order (rules/order-merge.ts); it belongs into the
 * transaction that marks its source as done.
 */
@Injectable()
export class OrdersService {
  constructor(
    private readonly orders: OrdersRepository,
    private readonly labEvents: LabEventsRepository,
    private readonly refreshes: OrderRefreshRepository,
    private readonly placements: OrderPlacementsRepository,
    private readonly resultFetches: ResultFetchRepository,
    private readonly fence: ErasureGuard,
  ) {}

  /**
   * An order of the REST interface or of `labtest.order.*`. Its embedded transaction makes rows for orders never heard
   * of, a redraw before or after its initial order (supplement 9.9). `account` is the one of its `user_id`. Of an erased
   * person nothing is stored.
   */
  async applyOrder(tx: Tx, order: WireOrder, observed: Observed): Promise<Applied> {
    if (await this.fence.countIfErased(tx, order.user_id)) return nothing;
    if (observed.account !== null && !(await this.fence.isWritable(tx, observed.account))) return nothing;
    const { doubtful, ...applied } = await this.apply(tx, factsOfOrder(order, observed), observed.observedAt);
    await this.refreshes.complete(tx, order.id);
    await this.readAgain(tx, doubtful, observed.observedAt);
    await this.settlePlacement(tx, order, observed);
    return applied;
  }

  /** Whether one of these orders is of a person who was erased, or is being erased. */
  async anyErased(orders: readonly WireOrder[]): Promise<boolean> {
    for (const { user_id } of orders) if (await this.fence.isErased(user_id)) return true;
    return false;
  }

  /**
   * A transaction in either of its shapes (supplement 9.3). It names nobody: whether it is of an erased person, its
   * orders say. Throws `account_erased`.
   */
  async applyTransaction(tx: Tx, transaction: WireOrderTransaction, observed: Observed): Promise<Applied> {
    if (observed.account !== null) await this.fence.assertWritable(tx, observed.account);
    const facts = factsOfTransaction(transaction, observed);
    const { doubtful, ...applied } = await this.apply(tx, facts, observed.observedAt);
    await this.readAgain(tx, doubtful, observed.observedAt);
    return applied;
  }

  /**
   * Ids alone, as somebody else vouched for them; the order is read from upstream as soon as that is possible. Throws
   * `account_erased`.
   */
  async applyIds(tx: Tx, ids: OrderIds, observed: Observed): Promise<Applied> {
    if (observed.account !== null) await this.fence.assertWritable(tx, observed.account);
    const { first, arisen } = await this.apply(tx, factsOfIds(ids, observed), observed.observedAt);
    await this.refreshes.request(tx, ids.order_id, observed.observedAt);
    return { first, arisen };
  }

  /** False when what is stored puts the order, or the transaction, with somebody or something else. */
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

  /** The `data` of `labtest.appointment.*`. Throws `WireShapeError` when it cannot be told whose it is. */
  async applyAppointment(tx: Tx, data: unknown, observed: Observed): Promise<void> {
    const fact = factOfAppointment(data, observed);
    await this.expectOrder(tx, { order_id: fact.order_id, order_transaction_id: fact.order_transaction_id }, observed);
    const stored = await this.labEvents.lockAppointment(tx, fact);
    await this.labEvents.saveAppointment(tx, mergeAppointment(stored, fact, observed.observedAt));
    await this.labEvents.adoptFromOrders(tx, [fact.order_id]);
  }

  /** The `data` of `labtest.result.critical`, which names no transaction (supplement 9.8). Throws `WireShapeError`. */
  async applyCritical(tx: Tx, data: unknown, observed: Observed): Promise<void> {
    const fact = factOfCritical(data, observed);
    await this.expectOrder(tx, { order_id: fact.order_id, order_transaction_id: null }, observed);
    const stored = await this.labEvents.lockCritical(tx, fact);
    await this.labEvents.saveCritical(tx, mergeCritical(stored, fact, observed.observedAt));
    await this.labEvents.adoptFromOrders(tx, [fact.order_id]);
  }

  /** An order heard of through something that belongs to it gets a row, and is looked up. */
  private async expectOrder(tx: Tx, ids: OrderIds, observed: Observed): Promise<void> {
    const known = await this.orders.findOrder(tx, ids.order_id);
    if (!known) await this.applyIds(tx, ids, observed);
  }

  /** An order that carries the mark of a placement settles it, whichever way it came (placing/placing.service.ts). */
  private async settlePlacement(tx: Tx, order: WireOrder, { account, observedAt: now }: Observed): Promise<void> {
    const placementId = placementOf(order);
    if (placementId === null || account === null) return;
    await this.placements.placed(tx, { placementId, account, orderId: order.id, now });
  }

  private async readAgain(tx: Tx, orderIds: readonly string[], observedAt: number): Promise<void> {
    for (const id of orderIds) await this.refreshes.request(tx, id, observedAt + PATIENCE_MS);
  }

  private async apply(tx: Tx, facts: Facts, observedAt: number): Promise<Outcome> {
    const before = facts.transaction && (await this.mergeTransaction(tx, facts.transaction, observedAt));
    const first: string[] = [];
    const rows: OrderRow[] = [];
    for (const fact of inLockOrder(facts.orders)) {
      const { row, isFirst } = await this.mergeOrder(tx, fact, observedAt);
      rows.push(row);
      if (isFirst) first.push(row.order_id);
    }
    const transactionIds = new Set(rows.map((row) => row.order_transaction_id).filter((id) => id !== null));
    let arisen: Need | null = null;
    const doubtful: string[] = [];
    for (const id of transactionIds) {
      const settled = await this.settleTransaction(tx, id);
      arisen = settled?.arisen ?? arisen;
      const told = facts.transaction?.order_transaction_id === id;
      if (told && settled?.flag && settled.flag !== before) doubtful.push(...settled.orderIds);
    }
    if (rows.length > 0) {
      await this.labEvents.adoptFromOrders(
        tx,
        rows.map((row) => row.order_id),
      );
    }
    return { first, arisen, doubtful };
  }

  /** The flag that the transaction had before. */
  private async mergeTransaction(tx: Tx, fact: TransactionFact, observedAt: number): Promise<ChainFlag | null> {
    const stored = await this.orders.lockTransaction(tx, fact);
    const orders = await this.orders.ordersOf(tx, fact.order_transaction_id);
    const row = mergeTransaction(stored, fact, observedAt);
    await this.orders.saveTransaction(tx, row);
    if (transactionBringsResults(stored, row)) {
      const subject = { scope: 'transaction', id: row.order_transaction_id } as const;
      await this.resultFetches.request(tx, subject, observedAt, row.account_id);
    }
    return redrawChain(stored.status, orders).flag;
  }

  private async mergeOrder(tx: Tx, fact: OrderFact, observedAt: number): Promise<{ row: OrderRow; isFirst: boolean }> {
    const stored = await this.orders.lockOrder(tx, fact);
    const isFirst = stored.stored_at === 0;
    await this.orders.mergeEvents(tx, fact.order_id, fact.events, isNewer(stored, fact.version, observedAt));
    const events = await this.orders.eventsOf(tx, fact.order_id);
    const row = mergeOrder(stored, fact, events, observedAt);
    await this.orders.saveOrder(tx, row);
    if (isFirst && events.length === 0) await this.refreshes.request(tx, fact.order_id, observedAt + PATIENCE_MS);
    if (orderBringsResults(stored, row)) {
      const subject = { scope: 'order', id: row.order_id } as const;
      await this.resultFetches.request(tx, subject, observedAt, row.account_id);
    }
    return { row, isFirst };
  }

  /** Brings together what the orders of one transaction know: whose they are, and what is to be done. */
  private async settleTransaction(tx: Tx, id: string): Promise<Settled | null> {
    const transaction = await this.orders.findTransaction(tx, id);
    if (!transaction) return null;
    const orders = await this.orders.ordersOf(tx, id);
    const account = transaction.account_id ?? orders.find((order) => order.account_id !== null)?.account_id ?? null;
    if (account !== null) await this.orders.fillAccounts(tx, id, account);
    const { needs, flag } = redrawChain(transaction.status, orders);
    await this.orders.saveOutcome(tx, id, { account, needs });
    const arisen = needs === transaction.needs ? null : needs;
    return { arisen, flag, orderIds: orders.map((order) => order.order_id) };
  }
}

/** Two jobs that touch the same orders lock them one after the other, not crosswise. */
function inLockOrder(orders: readonly OrderFact[]): OrderFact[] {
  return [...orders].sort((a, b) => (a.order_id < b.order_id ? -1 : 1));
}
