import { Injectable } from '@nestjs/common';
import { AccountsService } from '../../accounts/accounts/accounts.service.js';
import { erasedError } from '../../accounts/erasure-guard/erasure-guard.service.js';
import { Clock } from '../../platform/platform/clock.js';
import { AppError } from '../../platform/platform/errors.js';
import type { Tx } from '../../storage/database/tx.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { type CallOptions, UpstreamClient } from '../../upstream/client/upstream.client.js';
import type { WireOrder, WireOrderTransaction } from '../../upstream/client/wire-orders.js';
import { UpstreamError } from '../../upstream/transport/upstream-error.js';
import { OrderIntake } from './order-intake.service.js';
import { OrderIntakeTelemetry } from './order-intake.telemetry.js';

/** An order read at `observedAt`, and the account of its user. */
export interface ReadOrder {
  readonly order: WireOrder;
  readonly account: number | null;
  readonly observedAt: number;
}

/** Codes with which AccountsService refuses an upstream user without an account. */
const outsiders: readonly string[] = ['conflict', 'account_id_not_allowed', 'account_erased'];

/** Reads orders and transactions from upstream and stores them. */
@Injectable()
export class UpstreamOrders {
  constructor(
    private readonly client: UpstreamClient,
    private readonly accounts: AccountsService,
    private readonly intake: OrderIntake,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    private readonly telemetry: OrderIntakeTelemetry,
  ) {}

  /** Throws `not_found` if upstream does not know the order, else `UpstreamError`. */
  async read(orderId: string, options: CallOptions): Promise<ReadOrder> {
    const observedAt = this.clock.now();
    const order = await this.client.order(orderId, options).catch(notFoundIfAbsent);
    return { order, observedAt, account: await this.ownerOf(order.user_id, options) };
  }

  async readAndStore(orderId: string, options: CallOptions): Promise<void> {
    const { order, ...observed } = await this.read(orderId, options);
    const applied = await this.lane.run((tx) => this.intake.applyOrder(tx, order, observed));
    this.intake.report('read', applied);
  }

  /** Cancels an order with one call and stores upstream's response. Throws `UpstreamError`. */
  async cancel(orderId: string, account: number | null, options: CallOptions): Promise<void> {
    const observedAt = this.clock.now();
    const { order } = await this.client.cancelOrder(orderId, options).catch(notFoundIfAbsent);
    const applied = await this.lane.run((tx) => this.intake.applyOrder(tx, order, { account, observedAt }));
    this.intake.report('operator', applied);
  }

  /**
   * Stores an order that was placed here, in one database transaction with `settle`. One without its transaction is
   * read again as soon as that is possible. Throws `account_erased`.
   */
  async storePlaced({ order, ...observed }: ReadOrder, settle: (tx: Tx) => Promise<void>): Promise<void> {
    const applied = await this.lane.run(async (tx) => {
      const applied = await this.intake.applyOrder(tx, order, observed);
      if (applied.isSuppressed) throw erasedError();
      if (!order.order_transaction) {
        await this.intake.applyIds(tx, { order_id: order.id, order_transaction_id: null }, observed);
      }
      await settle(tx);
      return applied;
    });
    this.intake.report('operator', applied);
  }

  /**
   * Reads a transaction and all its orders, those upstream lists and those in `known`, and stores them together. A
   * team without access to transactions (docs/upstream/orders.md#access-to-order-transactions) still gets its orders,
   * each of which names the whole. Throws `not_found` when neither is there, else `UpstreamError`.
   */
  async refreshTransaction(id: string, known: readonly string[], options: CallOptions): Promise<void> {
    const observedAt = this.clock.now();
    const transaction = await this.client.orderTransaction(id, options).catch((error: unknown) => {
      if (known.length > 0 && error instanceof UpstreamError && error.isRefusal) return null;
      return notFoundIfAbsent(error);
    });
    const ids = new Set([...(transaction?.orders ?? []).map((order) => order.id), ...known]);
    const reads = await Promise.all([...ids].map((orderId) => this.readIfThere(orderId, options)));
    const found = reads.filter((read) => read !== null);
    if (!transaction && found.length === 0) throw absent();
    await this.storeTogether(transaction, found, observedAt);
  }

  /**
   * The account of an upstream user, adopted if need be; null when upstream does not know the user, or when it cannot
   * be one of our accounts, which must not hold up the orders of others.
   */
  async ownerOf(userId: string, options: CallOptions): Promise<number | null> {
    try {
      return (await this.accounts.adoptByUpstreamUser(userId, options))?.id ?? null;
    } catch (error) {
      const cannotBeOurs = error instanceof AppError && outsiders.includes(error.code);
      const isRefused = error instanceof UpstreamError && error.isRefusal;
      if (!cannotBeOurs && !isRefused) throw error;
      this.telemetry.ownerRefused(error);
      return null;
    }
  }

  private async readIfThere(orderId: string, options: CallOptions): Promise<ReadOrder | null> {
    return this.read(orderId, options).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'not_found') return null;
      throw error;
    });
  }

  private async storeTogether(
    transaction: WireOrderTransaction | null,
    reads: readonly ReadOrder[],
    observedAt: number,
  ): Promise<void> {
    const account = reads.find((read) => read.account !== null)?.account ?? null;
    const userIds = reads.map(({ order }) => order.user_id);
    const applied = await this.lane.run(async (tx) => {
      const all = [];
      if (transaction) {
        all.push(await this.intake.applyTransaction(tx, transaction, { account, observedAt }, userIds));
      }
      for (const { order, ...observed } of reads) all.push(await this.intake.applyOrder(tx, order, observed));
      return all;
    });
    for (const each of applied) this.intake.report('read', each);
  }
}

function absent(): AppError {
  return new AppError('not_found', 'Upstream does not know the order.');
}

function notFoundIfAbsent(error: unknown): never {
  throw error instanceof UpstreamError && error.isNotFound ? absent() : error;
}
