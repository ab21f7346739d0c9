import { Injectable } from '@nestjs/common';
import { isWritable } from '../../accounts/erasure-guard/open-accounts.js';
import type { Tx } from '../../storage/database/tx.js';
import { phaseOf } from './order-status.js';
import { type OrderSubject, OrdersRepository } from './orders.repository.js';
import type { ResultSubject } from './result-subject.js';

/** An order and, if known, its transaction. */
export interface OrderIds {
  readonly order_id: string;
  readonly order_transaction_id: string | null;
}

/** Owners of stored orders. OrdersApply stores what upstream reports. */
@Injectable()
export class OrdersService {
  constructor(private readonly orders: OrdersRepository) {}

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
   * The account (`accounts.id`) of an order or transaction, locked until the database transaction ends. Null if there
   * is none or it must not be written to.
   */
  async lockOwner(tx: Tx, subject: OrderSubject): Promise<number | null> {
    const account = await this.orders.lockOwner(tx, subject);
    return account !== null && (await isWritable(tx, account)) ? account : null;
  }

  /** Upstream's ids of the account's orders, their transactions and appointments. */
  idsOf(tx: Tx, account: number): Promise<string[]> {
    return this.orders.idsOf(tx, account);
  }

  /** True if upstream says that the lab has done all of its work. */
  async isCompleted(tx: Tx, { scope, id }: ResultSubject): Promise<boolean> {
    if (scope === 'transaction') return (await this.orders.findTransaction(tx, id))?.status === 'completed';
    return phaseOf((await this.orders.findOrder(tx, id))?.status ?? null) === 'completed';
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
}
