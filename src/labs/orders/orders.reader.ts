import { Injectable } from '@nestjs/common';
import { externalIdColumn, joinAccountIfAny } from '../../accounts/accounts/account-sql.js';
import { Conditions } from '../../storage/database/conditions.js';
import { placeholders } from '../../storage/database/dialect.js';
import { Reader } from '../../storage/database/reader.js';
import { type AppointmentEntity, type CriticalResultEntity, isUnnotified } from './lab-event.entity.js';
import type { OrderEventEntity } from './order.entity.js';
import type { OrderRow, TransactionRow } from './order-merge.js';
import type { OrderSubject } from './orders.repository.js';
import type { PatientNotificationEntity } from './patient-notification.entity.js';
import type { ResultTrouble } from './result-subject.js';

/** A row and the customer's id of its account. */
export type OwnedOrder = OrderRow & {
  readonly external_id: string | null;
  /** 1 while a lab reports one of its results as critical. */
  readonly critical: 0 | 1;
  /** 1 if one of these results has no record that the patient was informed. */
  readonly critical_untold: 0 | 1;
};
export type OwnedTransaction = TransactionRow & { readonly external_id: string | null };

/** Last row of the previous page. */
type After = readonly [createdAt: number, id: string] | null;

export interface OrderFilter {
  /** The customer's id of the account. */
  readonly externalId?: string | undefined;
  readonly transactionId?: string | undefined;
  readonly origin?: string | undefined;
  /** One or more complete parts of a status: `requisition_created`, `received`, `received.walk_in_test.ordered`. */
  readonly status?: string | undefined;
  /** Only orders with (true) or without (false) a critical result. */
  readonly critical?: boolean | undefined;
  /** True: the patient was informed of every critical result. False: of at least one not. */
  readonly told?: boolean | undefined;
  readonly result?: ResultTrouble | undefined;
  readonly after: After;
  readonly limit: number;
}

export interface TransactionFilter {
  readonly status?: string | undefined;
  readonly needs?: string | undefined;
  /** True if the patient was informed of the redraw. */
  readonly told?: boolean | undefined;
  readonly after: After;
  readonly limit: number;
}

/** Owner of an order or transaction, if known. */
export interface SubjectOwner {
  /** 0 until upstream has reported it. */
  readonly version: number;
  readonly order_transaction_id: string | null;
  /** `accounts.id`; null if it belongs to no account. */
  readonly account_id: number | null;
  /** Number of its orders that belong to other accounts. */
  readonly foreign_orders: number;
}

const ownerSql: Readonly<Record<OrderSubject['scope'], string>> = {
  order: 'SELECT version, order_transaction_id, account_id, 0 AS foreign_orders FROM orders WHERE order_id = ?',
  transaction: `SELECT t.version, t.order_transaction_id, t.account_id, (SELECT COUNT(*) FROM orders o
      WHERE o.order_transaction_id = t.order_transaction_id AND o.account_id <> t.account_id) AS foreign_orders
    FROM order_transactions t WHERE t.order_transaction_id = ?`,
};

const isCritical = 'EXISTS (SELECT 1 FROM critical_results c WHERE c.order_id = o.order_id AND c.settled_at IS NULL)';
const hasUntold = `EXISTS (SELECT 1 FROM critical_results c WHERE c.order_id = o.order_id AND ${isUnnotified})`;
const selectOrders = `SELECT o.*, ${externalIdColumn} AS external_id,
    CASE WHEN ${isCritical} THEN 1 ELSE 0 END AS critical,
    CASE WHEN ${hasUntold} THEN 1 ELSE 0 END AS critical_untold
  FROM orders o ${joinAccountIfAny('o.account_id')}`;
/** Searches the few critical results instead of the many orders. */
const amongCritical = 'o.order_id IN (SELECT c.order_id FROM critical_results c WHERE c.settled_at IS NULL)';
const amongUntold = `o.order_id IN (SELECT c.order_id FROM critical_results c WHERE ${isUnnotified})`;
/** Results of orders and transactions that need an operator. */
const troubledResults: Readonly<Record<ResultTrouble, string>> = {
  given_up: `due_reads WHERE due_at IS NULL AND kind = 'result'`,
  // One that a later version replaced is no trouble any more.
  withdrawn: `lab_results w WHERE withdrawn_at IS NOT NULL AND NOT EXISTS (SELECT 1 FROM lab_results n
    WHERE n.scope = w.scope AND n.subject_id = w.subject_id AND n.form = w.form AND n.version > w.version)`,
};
/** Searches the few results instead of the many orders. */
const amongResults = (trouble: ResultTrouble): string => `o.order_id IN (
    SELECT subject_id FROM ${troubledResults[trouble]} AND scope = 'order'
    UNION ALL SELECT i.order_id FROM orders i
      WHERE i.order_transaction_id IN (SELECT subject_id FROM ${troubledResults[trouble]} AND scope = 'transaction'))`;
const selectTransactions = `SELECT t.*, ${externalIdColumn} AS external_id
  FROM order_transactions t ${joinAccountIfAny('t.account_id')}`;

/** Stored orders, transactions and lab events. Pages are newest first. */
@Injectable()
export class OrdersReader {
  constructor(private readonly reader: Reader) {}

  owner({ scope, id }: OrderSubject): Promise<SubjectOwner | null> {
    return this.reader.row(ownerSql[scope], [id]);
  }

  page(filter: OrderFilter): Promise<OwnedOrder[]> {
    const conditions = new Conditions()
      .add(`${externalIdColumn} = ?`, filter.externalId)
      .add('o.order_transaction_id = ?', filter.transactionId)
      .add('o.origin = ?', filter.origin)
      .add("('.' || o.status || '.') LIKE ? ESCAPE '!'", filter.status && partsPattern(filter.status))
      .add('(o.created_at, o.order_id) < (?, ?)', filter.after?.[0], filter.after?.[1]);
    if (filter.critical !== undefined) conditions.add(filter.critical ? amongCritical : `NOT ${isCritical}`);
    if (filter.told !== undefined) conditions.add(filter.told ? `${amongCritical} AND NOT ${hasUntold}` : amongUntold);
    if (filter.result !== undefined) conditions.add(amongResults(filter.result));
    return this.reader.rows(`${selectOrders} ${conditions.where} ORDER BY o.created_at DESC, o.order_id DESC LIMIT ?`, [
      ...conditions.values,
      filter.limit,
    ]);
  }

  find(orderId: string): Promise<OwnedOrder | null> {
    return this.reader.row(`${selectOrders} WHERE o.order_id = ?`, [orderId]);
  }

  events(orderId: string): Promise<OrderEventEntity[]> {
    return this.reader.rows('SELECT * FROM order_events WHERE order_id = ? ORDER BY created_at, event_id', [orderId]);
  }

  /** At most `limit` ids of accounts' orders that upstream has not returned since `before` (epoch milliseconds). */
  async unseenSince(before: number, limit: number): Promise<string[]> {
    const rows = await this.reader.rows<{ order_id: string }>(
      `SELECT order_id FROM orders WHERE account_id IS NOT NULL AND version > 0 AND observed_at < ?
       ORDER BY order_id LIMIT ?`,
      [before, limit],
    );
    return rows.map(({ order_id }) => order_id);
  }

  /** Oldest change first. */
  async appointments(orderIds: readonly string[]): Promise<AppointmentEntity[]> {
    if (orderIds.length === 0) return [];
    const ids = placeholders(orderIds.length);
    return this.reader.rows(
      `SELECT * FROM appointments WHERE order_id IN (${ids}) ORDER BY version, appointment_id`,
      orderIds,
    );
  }

  async criticalResults(orderIds: readonly string[]): Promise<CriticalResultEntity[]> {
    if (orderIds.length === 0) return [];
    const ids = placeholders(orderIds.length);
    return this.reader.rows(
      `SELECT * FROM critical_results WHERE order_id IN (${ids}) ORDER BY created_at, order_id, finding`,
      orderIds,
    );
  }

  /**
   * Records that the patient was informed, of an order's critical results or its transaction's redraw, oldest first.
   */
  async notifications(orderId: string, transactionId: string | null): Promise<PatientNotificationEntity[]> {
    return this.reader.rows(
      `SELECT * FROM patient_notifications
       WHERE (scope = 'order' AND subject_id = ?) OR (scope = 'transaction' AND subject_id = ?)
       ORDER BY recorded_at, scope`,
      [orderId, transactionId ?? ''],
    );
  }

  transactionPage(filter: TransactionFilter): Promise<OwnedTransaction[]> {
    const conditions = new Conditions()
      .add('t.status = ?', filter.status)
      .add('t.needs = ?', filter.needs)
      .add('(t.created_at, t.order_transaction_id) < (?, ?)', filter.after?.[0], filter.after?.[1]);
    if (filter.told !== undefined) conditions.add(`t.notified_at IS ${filter.told ? 'NOT NULL' : 'NULL'}`);
    return this.reader.rows(
      `${selectTransactions} ${conditions.where} ORDER BY t.created_at DESC, t.order_transaction_id DESC LIMIT ?`,
      [...conditions.values, filter.limit],
    );
  }

  async transactions(ids: readonly string[]): Promise<OwnedTransaction[]> {
    if (ids.length === 0) return [];
    return this.reader.rows(`${selectTransactions} WHERE t.order_transaction_id IN (${placeholders(ids.length)})`, ids);
  }

  async ordersOf(transactionIds: readonly string[]): Promise<OwnedOrder[]> {
    if (transactionIds.length === 0) return [];
    const ids = placeholders(transactionIds.length);
    return this.reader.rows(`${selectOrders} WHERE o.order_transaction_id IN (${ids})`, transactionIds);
  }
}

function partsPattern(status: string): string {
  return `%.${status.replace(/[!%_]/g, '!$&')}.%`;
}
