import { Injectable } from '@nestjs/common';
import { shapeOf } from '../../storage/database/columns.js';
import { lockRow, saveRows } from '../../storage/database/rows.js';
import type { Tx } from '../../storage/database/tx.js';
import { OrderEntity, OrderEventEntity, OrderTransactionEntity } from './order.entity.js';
import type { EventFact, OrderFact, TransactionFact } from './order-facts.js';
import type { OrderRow, TransactionRow } from './order-merge.js';
import type { Chain, ChainLink } from './redraw-chain.js';

const orders = shapeOf(OrderEntity);
const transactions = shapeOf(OrderTransactionEntity);
const replacedEvents = shapeOf(OrderEventEntity);
const addedEvents = { ...replacedEvents, update: [] };

/** An order or an order transaction. */
export interface OrderSubject {
  readonly scope: 'order' | 'transaction';
  readonly id: string;
}

/** Summary of the orders of a transaction, as learned at `at` (epoch milliseconds). */
interface Outcome extends Pick<TransactionRow, 'needs' | 'needs_after'>, Pick<Chain<ChainLink>, 'flag'> {
  readonly account: number | null;
  /** What has come to nothing, also if it was replaced; null if nothing has. */
  readonly loss: string | null;
  readonly at: number;
}

const lockOwnerSql: Readonly<Record<OrderSubject['scope'], string>> = {
  order: 'UPDATE orders SET order_id = order_id WHERE order_id = ? RETURNING account_id',
  transaction: `UPDATE order_transactions SET order_transaction_id = order_transaction_id
    WHERE order_transaction_id = ? RETURNING account_id`,
};

/**
 * Orders and transactions. `lock...` inserts a missing row, and locks it until the database transaction ends, so that
 * no other process changes it during the merge.
 */
@Injectable()
export class OrdersRepository {
  /** A newly inserted row has `stored_at` 0. */
  lockOrder(tx: Tx, { order_id, created_at }: OrderFact): Promise<OrderRow> {
    return lockRow(tx, orders, { order_id, created_at, version: 0, observed_at: 0, stored_at: 0 });
  }

  async saveOrder(tx: Tx, row: OrderRow): Promise<void> {
    await saveRows(tx, orders, [row]);
  }

  lockTransaction(tx: Tx, { order_transaction_id, created_at }: TransactionFact): Promise<TransactionRow> {
    return lockRow(tx, transactions, { order_transaction_id, created_at, version: 0, observed_at: 0 });
  }

  async saveTransaction(tx: Tx, row: TransactionRow): Promise<void> {
    await saveRows(tx, transactions, [row]);
  }

  /** Adds unknown events. Overwrites known ones only with `replace`, if the report is newer. */
  async mergeEvents(tx: Tx, orderId: string, events: readonly EventFact[], replace: boolean): Promise<void> {
    const rows = events.map((event) => ({ ...event, order_id: orderId }));
    await saveRows(tx, replace ? replacedEvents : addedEvents, rows);
  }

  async eventsOf(tx: Tx, orderId: string): Promise<EventFact[]> {
    return tx.rows<EventFact>(
      'SELECT event_id, created_at, status, status_detail FROM order_events WHERE order_id = ?',
      [orderId],
    );
  }

  async findTransaction(tx: Tx, id: string): Promise<TransactionRow | null> {
    const [row] = await tx.rows<TransactionRow>('SELECT * FROM order_transactions WHERE order_transaction_id = ?', [
      id,
    ]);
    return row ?? null;
  }

  async ordersOf(tx: Tx, transactionId: string): Promise<OrderRow[]> {
    return tx.rows<OrderRow>('SELECT * FROM orders WHERE order_transaction_id = ?', [transactionId]);
  }

  async findOrder(tx: Tx, orderId: string): Promise<OrderRow | null> {
    const [row] = await tx.rows<OrderRow>('SELECT * FROM orders WHERE order_id = ?', [orderId]);
    return row ?? null;
  }

  /** Ids of the account's orders, their transactions and appointments. */
  async idsOf(tx: Tx, account: number): Promise<string[]> {
    const rows = await tx.rows<{ id: string }>(
      `SELECT order_id AS id FROM orders WHERE account_id = ?
       UNION SELECT order_transaction_id FROM order_transactions WHERE account_id = ?
       UNION SELECT appointment_id FROM appointments WHERE account_id = ?
       UNION SELECT job_id FROM parsing_jobs WHERE account_id = ?`,
      [account, account, account, account],
    );
    return rows.map(({ id }) => id);
  }

  /** Locks the row without creating one. Null if there is none or it belongs to no account. */
  async lockOwner(tx: Tx, { scope, id }: OrderSubject): Promise<number | null> {
    const [row] = await tx.rows<{ account_id: number | null }>(lockOwnerSql[scope], [id]);
    return row?.account_id ?? null;
  }

  /** Gives the orders of a transaction without an account the account of the transaction. */
  async fillAccounts(tx: Tx, transactionId: string, account: number): Promise<void> {
    await tx.execute('UPDATE orders SET account_id = ? WHERE order_transaction_id = ? AND account_id IS NULL', [
      account,
      transactionId,
    ]);
  }

  /** Ends the need of a transaction whose loss was replaced. */
  async saveReplacement(tx: Tx, id: string, { loss, by, at }: { loss: string; by: string; at: number }): Promise<void> {
    await tx.execute(
      `UPDATE order_transactions SET needs = NULL, needs_since = NULL, replaced_at = ?, replaced_by = ?, replaced_loss = ?
       WHERE order_transaction_id = ?`,
      [at, by, loss, id],
    );
  }

  /** If the draw that is owed is another than before, the patient has not been informed of it. */
  async saveOutcome(
    tx: Tx,
    { order_transaction_id: id, needs_after: before, ...stored }: TransactionRow,
    { account, needs, needs_after: after, flag, loss, at }: Outcome,
  ): Promise<void> {
    const isAnother = before !== null && after !== null && before !== after;
    const isKept = needs === stored.needs && !isAnother;
    const since = needs === null ? null : isKept ? (stored.needs_since ?? at) : at;
    const again = isAnother ? ', notified_at = NULL, notified_by = NULL, notified_how = NULL' : '';
    const inconsistentSince = flag === 'inconsistent' ? (stored.inconsistent_since ?? at) : null;
    await tx.execute(
      `UPDATE order_transactions SET account_id = ?, needs = ?, needs_after = ?, needs_since = ?, inconsistent_since = ?,
        replaced_loss = ?${again} WHERE order_transaction_id = ?`,
      [account, needs, after ?? before, since, inconsistentSince, loss === null ? null : stored.replaced_loss, id],
    );
  }
}
