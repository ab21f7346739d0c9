import { Injectable } from '@nestjs/common';
import { mapPage, type Page, pageOf } from '../http/page.js';
import type { AppointmentEntity } from '../lab-events/appointment.entity.js';
import type { CriticalResultEntity } from '../lab-events/critical-result.entity.js';
import type { OrderEventEntity } from '../orders/order.entity.js';
import { type Chain, redrawChain } from '../orders/redraw-chain.js';
import { decodeCursor } from '../platform/cursor.js';
import { AppError } from '../platform/errors.js';
import {
  type OrderFilter,
  OrderReadsRepository,
  type OwnedOrder,
  type OwnedTransaction,
  type TransactionFilter,
} from './order-reads.repository.js';

export interface TransactionRead {
  readonly transaction: OwnedTransaction;
  readonly chain: Chain<OwnedOrder>;
}

/** An order of the account itself, and the transaction it stands in, where that is known. */
export interface OwnOrder {
  readonly order: OwnedOrder;
  readonly in: TransactionRead | null;
  readonly appointments: readonly AppointmentEntity[];
}

export interface OwnTransaction extends TransactionRead {
  readonly appointments: readonly AppointmentEntity[];
}

export interface TransactionDetail extends OwnTransaction {
  readonly criticalResults: readonly CriticalResultEntity[];
}

export interface OrderDetail {
  readonly order: OwnedOrder;
  /** By time, then id. */
  readonly events: readonly OrderEventEntity[];
  readonly appointments: readonly AppointmentEntity[];
  readonly criticalResults: readonly CriticalResultEntity[];
}

type Query<Filter> = Omit<Filter, 'after'> & { readonly cursor?: string | undefined };

/** What is stored of orders. Lists are newest first, the orders of a transaction in order of creation. */
@Injectable()
export class OrderReadsService {
  constructor(private readonly reads: OrderReadsRepository) {}

  async list({ cursor, ...filter }: Query<OrderFilter>): Promise<Page<OwnedOrder>> {
    const rows = await this.reads.page({ ...filter, after: afterOf(cursor), limit: filter.limit + 1 });
    return pageOf(rows, filter.limit, (order) => [order.created_at, order.order_id]);
  }

  /** An account's own orders, each with the chain it stands in and its appointments. */
  async listOwn(accountId: string, query: { cursor?: string | undefined; limit: number }): Promise<Page<OwnOrder>> {
    const page = await this.list({ ...query, accountId });
    const ids = new Set(page.data.map((order) => order.order_transaction_id).filter((id) => id !== null));
    const reads = await this.withChains(await this.reads.transactions([...ids]), accountId);
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
    const order = await this.reads.find(orderId);
    if (!order) throw new AppError('not_found', 'There is no such order.');
    const [events, appointments, criticalResults] = await Promise.all([
      this.reads.events(orderId),
      this.reads.appointments([orderId]),
      this.reads.criticalResults([orderId]),
    ]);
    return { order, events, appointments, criticalResults };
  }

  async listTransactions({ cursor, ...filter }: Query<TransactionFilter>): Promise<Page<TransactionRead>> {
    const rows = await this.reads.transactionPage({ ...filter, after: afterOf(cursor), limit: filter.limit + 1 });
    const page = pageOf(rows, filter.limit, (row) => [row.created_at, row.order_transaction_id]);
    return { ...page, data: await this.withChains(page.data) };
  }

  async findTransaction(id: string): Promise<TransactionRead | null> {
    const [read] = await this.withChains(await this.reads.transactions([id]));
    return read ?? null;
  }

  /** Throws `not_found`. */
  async getTransaction(id: string): Promise<TransactionDetail> {
    const read = found(await this.findTransaction(id));
    const ids = read.chain.orders.map((order) => order.order_id);
    const [appointments, criticalResults] = await Promise.all([
      this.reads.appointments(ids),
      this.reads.criticalResults(ids),
    ]);
    return { ...read, appointments, criticalResults };
  }

  /** Throws `not_found` for one that is not the account's own, as for one that does not exist. */
  async getOwnTransaction(id: string, accountId: string): Promise<OwnTransaction> {
    const [first] = await this.withChains(await this.reads.transactions([id]), accountId);
    const read = found(first ?? null);
    return { ...read, appointments: await this.ownAppointments(read.chain.orders) };
  }

  /** Only those of the account whose orders these are. */
  private async ownAppointments(orders: readonly OwnedOrder[]): Promise<AppointmentEntity[]> {
    const owners = new Map(orders.map((order) => [order.order_id, order.account_id]));
    const all = await this.reads.appointments([...owners.keys()]);
    return all.filter((each) => each.account_id !== null && each.account_id === owners.get(each.order_id));
  }

  /** With `accountId`, only what is that account's. */
  private async withChains(transactions: readonly OwnedTransaction[], accountId?: string): Promise<TransactionRead[]> {
    const isVisible = (row: { owner: string | null }): boolean => accountId === undefined || row.owner === accountId;
    const visible = transactions.filter(isVisible);
    const orders = await this.reads.ordersOf(visible.map((transaction) => transaction.order_transaction_id));
    return visible.map((transaction) => {
      const id = transaction.order_transaction_id;
      const own = orders.filter((order) => order.order_transaction_id === id && isVisible(order));
      return { transaction, chain: redrawChain(transaction.status, own) };
    });
  }
}

function found(read: TransactionRead | null): TransactionRead {
  if (!read) throw new AppError('not_found', 'There is no such order transaction.');
  return read;
}

function afterOf(cursor: string | undefined): OrderFilter['after'] {
  return cursor === undefined ? null : decodeCursor(cursor, ['number', 'string']);
}
