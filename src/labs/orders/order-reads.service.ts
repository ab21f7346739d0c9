import { Injectable } from '@nestjs/common';
import { AppError, orNotFound } from '../../platform/platform/errors.js';
import { decodeCursor, mapPage, type Page, pageOf } from '../../platform/platform/paging.js';
import type { AppointmentEntity, CriticalResultEntity } from './lab-event.entity.js';
import { activeAppointments, type HistoryEntry, hasEnded, historyOf } from './lab-events.js';
import type { OrderEventEntity } from './order.entity.js';
import { phaseOf } from './order-status.js';
import {
  type OrderFilter,
  OrdersReader,
  type OwnedOrder,
  type OwnedTransaction,
  type SubjectOwner,
  type TransactionFilter,
} from './orders.reader.js';
import type { OrderSubject } from './orders.repository.js';
import type { PatientNotificationEntity } from './patient-notification.entity.js';
import { type Chain, redrawChain } from './redraw-chain.js';

export type OrderEvent = OrderEventEntity;
export type CriticalResult = CriticalResultEntity;

/** Who informed the patient of what, with the names of the critical markers. */
export type NotificationRecord = Omit<PatientNotificationEntity, 'markers'> & { readonly markers: readonly string[] };

export interface Appointment extends Omit<AppointmentEntity, 'history'> {
  /** Oldest first. */
  readonly history: readonly HistoryEntry[];
  /** True for the active one of an order's appointments. */
  readonly isActive: boolean;
  /** True if cancelled or completed. */
  readonly hasEnded: boolean;
}

export interface TransactionRead {
  readonly transaction: OwnedTransaction;
  readonly chain: Chain<OwnedOrder>;
}

/** An order of the account, and its transaction (null if unknown). */
export interface OwnOrder {
  readonly order: OwnedOrder;
  readonly in: TransactionRead | null;
  readonly appointments: readonly Appointment[];
}

export interface OwnTransaction extends TransactionRead {
  readonly appointments: readonly Appointment[];
}

export interface TransactionDetail extends OwnTransaction {
  readonly criticalResults: readonly CriticalResult[];
}

export interface OrderDetail {
  readonly order: OwnedOrder;
  readonly isCancelled: boolean;
  /** By time, then id. */
  readonly events: readonly OrderEvent[];
  readonly appointments: readonly Appointment[];
  readonly criticalResults: readonly CriticalResult[];
}

type Query<Filter> = Omit<Filter, 'after'> & { readonly cursor?: string | undefined };

/** Reads stored orders. Lists are newest first; the orders of a transaction are sorted by creation time. */
@Injectable()
export class OrderReadsService {
  constructor(private readonly reader: OrdersReader) {}

  /** Owner of an order or transaction; null if that is not stored. */
  findOwner(subject: OrderSubject): Promise<SubjectOwner | null> {
    return this.reader.owner(subject);
  }

  async list({ cursor, ...filter }: Query<OrderFilter>): Promise<Page<OwnedOrder>> {
    const rows = await this.reader.page({ ...filter, after: afterOf(cursor), limit: filter.limit + 1 });
    return pageOf(rows, filter.limit, (order) => [order.created_at, order.order_id]);
  }

  /** An account's orders, each with its transaction and appointments. */
  async listOwn(externalId: string, query: { cursor?: string | undefined; limit: number }): Promise<Page<OwnOrder>> {
    const page = await this.list({ ...query, externalId });
    const ids = new Set(page.data.map((order) => order.order_transaction_id).filter((id) => id !== null));
    const reads = await this.withChains(await this.reader.transactions([...ids]), externalId);
    const byId = new Map(reads.map((read) => [read.transaction.order_transaction_id, read]));
    const appointments = await this.ownAppointments(page.data);
    return mapPage(page, (order) => ({
      order,
      in: byId.get(order.order_transaction_id ?? '') ?? null,
      appointments: appointments.filter((each) => each.order_id === order.order_id),
    }));
  }

  /** Throws `not_found`. */
  async get(orderId: string): Promise<OrderDetail> {
    return orNotFound(await this.find(orderId), 'There is no such order.');
  }

  /** Null if it is not stored. */
  async find(orderId: string): Promise<OrderDetail | null> {
    const order = await this.reader.find(orderId);
    if (!order) return null;
    const [events, appointments, criticalResults] = await Promise.all([
      this.reader.events(orderId),
      this.reader.appointments([orderId]),
      this.reader.criticalResults([orderId]),
    ]);
    const isCancelled = phaseOf(order.status) === 'cancelled';
    return { order, isCancelled, events, appointments: withActivity(appointments), criticalResults };
  }

  /** Throws `not_found` if it is not stored or belongs to another account. */
  async assertOwn(orderId: string, externalId: string): Promise<void> {
    const order = await this.reader.find(orderId);
    if (order?.external_id !== externalId) throw new AppError('not_found', 'There is no such order.');
  }

  /** Every record that the patient was informed, oldest first. Throws `not_found`. */
  async notifications(orderId: string): Promise<NotificationRecord[]> {
    const order = orNotFound(await this.reader.find(orderId), 'There is no such order.');
    const rows = await this.reader.notifications(orderId, order.order_transaction_id);
    return rows.map((row) => ({ ...row, markers: JSON.parse(row.markers) as string[] }));
  }

  async listTransactions({ cursor, ...filter }: Query<TransactionFilter>): Promise<Page<TransactionRead>> {
    const rows = await this.reader.transactionPage({ ...filter, after: afterOf(cursor), limit: filter.limit + 1 });
    const page = pageOf(rows, filter.limit, (row) => [row.created_at, row.order_transaction_id]);
    return { ...page, data: await this.withChains(page.data) };
  }

  async findTransaction(id: string): Promise<TransactionRead | null> {
    const [read] = await this.withChains(await this.reader.transactions([id]));
    return read ?? null;
  }

  /** Throws `not_found`. */
  async getTransaction(id: string): Promise<TransactionDetail> {
    const read = orNotFound(await this.findTransaction(id), noTransaction);
    const ids = read.chain.orders.map((order) => order.order_id);
    const [appointments, criticalResults] = await Promise.all([
      this.reader.appointments(ids),
      this.reader.criticalResults(ids),
    ]);
    return { ...read, appointments: withActivity(appointments), criticalResults };
  }

  /** Throws `not_found` if it does not exist or belongs to another account. */
  async getOwnTransaction(id: string, externalId: string): Promise<OwnTransaction> {
    const [first] = await this.withChains(await this.reader.transactions([id]), externalId);
    const read = orNotFound(first, noTransaction);
    return { ...read, appointments: await this.ownAppointments(read.chain.orders) };
  }

  /** Only appointments of the account that the order belongs to. */
  private async ownAppointments(orders: readonly OwnedOrder[]): Promise<Appointment[]> {
    const owners = new Map(orders.map((order) => [order.order_id, order.account_id]));
    const all = await this.reader.appointments([...owners.keys()]);
    return withActivity(
      all.filter((each) => each.account_id !== null && each.account_id === owners.get(each.order_id)),
    );
  }

  /** With `externalId`, only orders of that account. */
  private async withChains(transactions: readonly OwnedTransaction[], externalId?: string): Promise<TransactionRead[]> {
    const isVisible = (row: OwnedTransaction | OwnedOrder): boolean =>
      externalId === undefined || row.external_id === externalId;
    const visible = transactions.filter(isVisible);
    const orders = await this.reader.ordersOf(visible.map((transaction) => transaction.order_transaction_id));
    return visible.map((transaction) => {
      const id = transaction.order_transaction_id;
      const own = orders.filter((order) => order.order_transaction_id === id && isVisible(order));
      return { transaction, chain: redrawChain(transaction.status, own, transaction.replaced_loss) };
    });
  }
}

function withActivity(appointments: readonly AppointmentEntity[]): Appointment[] {
  const active = activeAppointments(appointments);
  return appointments.map((each) => ({
    ...each,
    history: historyOf(each),
    isActive: active.has(each.appointment_id),
    hasEnded: hasEnded(each),
  }));
}

const noTransaction = 'There is no such order transaction.';

function afterOf(cursor: string | undefined): OrderFilter['after'] {
  return cursor === undefined ? null : decodeCursor(cursor, ['number', 'string']);
}
