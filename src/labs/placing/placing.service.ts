import { Injectable } from '@nestjs/common';
import { AccountsService, type ActiveAccount } from '../../accounts/accounts/accounts.service.js';
import { Clock } from '../../platform/platform/clock.js';
import { orNotFound } from '../../platform/platform/errors.js';
import type { Tx } from '../../storage/database/tx.js';
import type { WireOrder } from '../../upstream/client/wire-orders.js';
import { interactive } from '../../upstream/transport/call.js';
import { UpstreamOrders } from '../intake/upstream-orders.js';
import { type Attempt, type CallClaim, PlacementKeys } from '../orders/placement-keys.service.js';
import { OrderCalls } from './order-calls.js';
import type { OrderFor, OrderRequest } from './order-request.js';
import { PlacingTelemetry } from './placing.telemetry.js';
import { failureOf } from './refusal.js';

/*
 * Places an order upstream, never twice for one idempotency key of a caller (table order_placements).
 *
 *   (no row) --key stored-->        calling   with a uuid of ours, the key upstream gets in this call and every repeat
 *   calling  --order answered-->    placed    the order and this state are stored in one database transaction
 *   calling  --order refused-->     refused   by upstream itself, 400 or 422, or no such user: nothing was placed
 *   calling  --anything else-->     unknown   timeout, lost or unreadable answer, 409, 429, 5xx, our own key refused,
 *                                             and the order was not found when it was looked for at once
 *   calling  --lease runs out-->    (as unknown)
 *   unknown  --same body again-->   calling   within 23 hours of the first open call, and what the order carries in
 *                                             `passthrough` is looked for first: found, nothing is sent
 *   refused  --any body-->          calling
 *   any      --order arrives with our correlation id, by webhook, list or read--> placed
 *   placed   --same body again-->   placed    answered from the store, always, without a call
 *
 * Another body with a key that is not refused is `idempotency_key_reused`. A request that meets a live lease is
 * `placement_in_progress`. After 23 hours an unknown outcome stays unknown to us (upstream may drop a key after 24 and
 * would place a second order): `placement_unresolved`, until the order arrives with our correlation id.
 *
 * A crash leaves `calling` with a lease. A repeat looks for the order, and calls with the same upstream key where there
 * is none. It may do so when the lease has run out, or at once where the store belongs to one process (SQLite) and that
 * has started again. Two calls that overlap, because a process was suspended past its lease, carry the same key, and
 * upstream refuses one (409).
 */

export interface Placed {
  readonly orderId: string;
  /** Returned from the store without a call. */
  readonly replayed: boolean;
}

@Injectable()
export class PlacingService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly calls: OrderCalls,
    private readonly keys: PlacementKeys,
    private readonly upstream: UpstreamOrders,
    private readonly clock: Clock,
    private readonly telemetry: PlacingTelemetry,
  ) {}

  /**
   * The order stored under the key, placed now if it was not before. Throws `not_found` or `account_blocked` for the
   * account; `idempotency_key_reused`, `placement_in_progress`, `placement_unresolved`; `order_refused` or `conflict`
   * when nothing was placed; and `UpstreamError` or an error with its code when that is not known: then the same
   * request may be made again.
   */
  async place(request: OrderRequest, idempotencyKey: string): Promise<Placed> {
    const account = await this.accountOf(request.for);
    const body = { ...request.order, user_id: account.upstream_user_id };
    const claim = await this.keys.claim({ account: account.id, idempotencyKey, body });
    if (claim.kind === 'placed') return this.answer(claim.orderId, true);
    try {
      return await this.call(account, claim);
    } finally {
      this.keys.forget(claim.attempt);
    }
  }

  private async accountOf(owner: OrderFor): Promise<ActiveAccount> {
    const found = await ('accountId' in owner
      ? this.accounts.find(owner.accountId)
      : this.accounts.adoptByUpstreamUser(owner.userId, interactive));
    const { account_id } = orNotFound(found, 'There is no such account.');
    return this.accounts.ensure(account_id, interactive);
  }

  private async call(account: ActiveAccount, attempt: CallClaim): Promise<Placed> {
    const observedAt = this.clock.now();
    let order: WireOrder;
    try {
      const send = (): Promise<WireOrder> => this.calls.send(account, attempt);
      order = (await this.calls.findEarlier(account, attempt)) ?? (await this.accounts.callFor(account, send));
    } catch (error) {
      return this.failed(account, attempt, error);
    }
    const { id } = account;
    const settle = (tx: Tx): Promise<void> => this.keys.placed(tx, attempt, { id: order.id, account: id });
    await this.upstream.storePlaced({ order, account: id, observedAt }, settle);
    if (!order.order_transaction) await this.readTransaction(order.id);
    return this.answer(order.id, false);
  }

  /** If the call failed but the order arrived by another way, the request succeeded. */
  private async failed(account: ActiveAccount, attempt: Attempt, thrown: unknown): Promise<Placed> {
    const failure = failureOf(thrown);
    const orderId = await this.keys.failed(attempt, failure);
    if (orderId !== null) return this.answer(orderId, false);
    this.telemetry.failed(account.id, failure);
    throw failure.error;
  }

  /** If this fails, the refresh stored with the order does it later. */
  private async readTransaction(orderId: string): Promise<void> {
    try {
      await this.upstream.readAndStore(orderId, interactive);
    } catch (error) {
      this.telemetry.transactionDeferred(orderId, error);
    }
  }

  private answer(orderId: string, replayed: boolean): Placed {
    this.telemetry.placed(orderId, replayed ? 'repeated' : 'placed');
    return { orderId, replayed };
  }
}
