import { Injectable } from '@nestjs/common';
import { type ActiveAccount } from '../../accounts/accounts/account-mapping.js';
import { AccountsService } from '../../accounts/accounts/accounts.service.js';
import { orNotFound } from '../../platform/platform/errors.js';
import type { Tx } from '../../storage/database/tx.js';
import type { WireOrder } from '../../upstream/client/wire-orders.js';
import { interactive } from '../../upstream/transport/call.js';
import { IdempotencyKeys } from '../keys/idempotency-keys.service.js';
import { UpstreamOrders } from '../upstream-orders/upstream-orders.js';
import { OrderCalls, type PlacementClaim } from './order-calls.js';
import type { OrderFor, OrderRequest } from './order-request.js';
import { PlacingTelemetry } from './placing.telemetry.js';
import { failureOf } from './refusal.js';

/*
 * Places an order upstream, at most once per idempotency key of a caller (table idempotency_keys).
 *
 *   (no row) --key stored-->        calling   with our own UUID, which upstream gets as the key in every call
 *   calling  --success-->           done      the order and this state are stored in one database transaction
 *   calling  --order refused-->     refused   by upstream itself (400 or 422), or no such user: nothing was placed
 *   calling  --anything else-->     unknown   timeout, 5xx, lost or unreadable response, and an immediate search finds
 *                                             no order; or 409, 429, our key refused
 *   calling  --lease expires-->     (as unknown)
 *   unknown  --same body again-->   calling   within 23 hours of the first open call; searches for the order by its
 *                                             `passthrough` first and, if it exists, sends nothing
 *   refused  --any body-->          calling
 *   any      --order arrives with our correlation id, by webhook, list or read--> placed
 *   placed   --same body again-->   placed    always returned from the database, without a call
 *
 * Unless the key is refused, another body is `idempotency_key_reused`. A request during a lease is
 * `placement_in_progress`. An outcome that is unknown after 23 hours is `placement_unresolved` (upstream may forget a
 * key after 24 hours and would place a second order), until the order arrives with our correlation id.
 *
 * A crash leaves `calling` with a lease. A repeat searches for the order, and calls with the same upstream key if there
 * is none. It may do so once the lease has expired or, on SQLite, where only one process uses the database, once that
 * has started again. If calls overlap because a process was suspended past its lease, they have the same key, and
 * upstream refuses one (409).
 */

export interface Placed {
  readonly orderId: string;
  /** True if returned from the database without a call. */
  readonly replayed: boolean;
}

@Injectable()
export class PlacingService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly calls: OrderCalls,
    private readonly keys: IdempotencyKeys,
    private readonly upstream: UpstreamOrders,
    private readonly telemetry: PlacingTelemetry,
  ) {}

  /**
   * Places an order, or returns the one already placed with the key. Throws `not_found` or `account_blocked` for the
   * account; `idempotency_key_reused`, `placement_in_progress`, `placement_unresolved`; `order_refused` or `conflict`
   * if nothing was placed; and `UpstreamError`, or an error with its code, if the outcome is unknown and the same
   * request may be repeated.
   */
  async place(request: OrderRequest, idempotencyKey: string): Promise<Placed> {
    const account = await this.accountOf(request.for);
    const body = { ...request.order, user_id: account.upstream_user_id };
    const claim = await this.calls.claim({ account: account.id, idempotencyKey, body });
    if (claim.kind === 'done') return this.answer(claim.outcomeId, true);
    try {
      return await this.call(account, claim);
    } finally {
      this.keys.forget(claim);
    }
  }

  private async accountOf(owner: OrderFor): Promise<ActiveAccount> {
    const found = await ('accountId' in owner
      ? this.accounts.find(owner.accountId)
      : this.accounts.adoptByUpstreamUser(owner.userId, interactive));
    const { account_id } = orNotFound(found, 'There is no such account.');
    return this.accounts.ensure(account_id, interactive);
  }

  private async call(account: ActiveAccount, claim: PlacementClaim): Promise<Placed> {
    let order: WireOrder;
    try {
      const send = (): Promise<WireOrder> => this.calls.send(account, claim);
      order = (await this.calls.findEarlier(account, claim)) ?? (await this.accounts.callFor(account, send));
    } catch (error) {
      return this.failed(account, claim, error);
    }
    const settle = (tx: Tx): Promise<void> => this.keys.done(tx, claim, order.id);
    await this.upstream.storePlaced({ order, account: account.id, observedAt: claim.claimedAt }, settle);
    if (!order.order_transaction) await this.readTransaction(order.id);
    return this.answer(order.id, false);
  }

  /** Succeeds if the order has arrived from another source although the call failed. */
  private async failed(account: ActiveAccount, claim: PlacementClaim, thrown: unknown): Promise<Placed> {
    const failure = failureOf(thrown);
    const orderId = await this.keys.failed(claim, failure);
    if (orderId !== null) return this.answer(orderId, false);
    this.telemetry.failed(account.id, failure);
    throw failure.error;
  }

  /** If this fails, the worker reads the order later, as requested when it was stored. */
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
