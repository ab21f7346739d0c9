import { Injectable } from '@nestjs/common';
import type { ActiveAccount } from '../../accounts/accounts/accounts.service.js';
import { AppError } from '../../platform/platform/errors.js';
import { DAY_MS, HOUR_MS, parseUtcInstant, toIso } from '../../platform/platform/time.js';
import { UpstreamClient } from '../../upstream/client/upstream.client.js';
import type { WireOrder } from '../../upstream/client/wire-orders.js';
import { interactive } from '../../upstream/transport/call.js';
import { UpstreamError } from '../../upstream/transport/upstream-error.js';
import { placementOf } from '../orders/correlation-id.js';
import { type CallClaim, PlacementKeys } from '../orders/placement-keys.service.js';

const PAGE_SIZE = 100;
/** Upstream's clock may be behind ours by this much. */
const MOST_BEHIND_MS = HOUR_MS / 12;
/** Our clock may have been this far ahead when the call began, and set right since. */
const MOST_SET_BACK_MS = DAY_MS;

/**
 * The calls that place an order. Upstream may make an order, answer an error and forget the key
 * (docs/upstream/orders.md#idempotency): a body is never sent again before the order was looked for.
 */
@Injectable()
export class OrderCalls {
  constructor(
    private readonly client: UpstreamClient,
    private readonly keys: PlacementKeys,
  ) {}

  /**
   * The order that an earlier call of the claim made, null if upstream has none. Throws `upstream_unavailable` when
   * upstream does not tell, and `placement_unresolved` when it could be one of several, or one that cannot be read.
   */
  async findEarlier(account: ActiveAccount, claim: CallClaim): Promise<WireOrder | null> {
    if (!claim.mayBePlaced) return null;
    try {
      return await this.look(account, claim);
    } catch (error) {
      if (error instanceof UpstreamError) throw notKnown(error);
      throw error;
    }
  }

  /** Sends the order once. If the outcome is unknown, it looks for the order immediately. */
  async send(account: ActiveAccount, claim: CallClaim): Promise<WireOrder> {
    try {
      const { order } = await this.client.createOrder(claim.body, claim.placementId, interactive);
      return ownOrder(order, account);
    } catch (error) {
      if (!(error instanceof UpstreamError) || !error.mayHaveWorked) throw error;
      const found = await this.look(account, claim).catch(() => null);
      if (found) return found;
      throw error;
    }
  }

  private async look(account: ActiveAccount, claim: CallClaim): Promise<WireOrder | null> {
    const earliest = claim.openSince - MOST_SET_BACK_MS;
    const page = await this.client.orders(
      {
        user_id: account.upstream_user_id,
        start_date: toIso(earliest),
        order_key: 'created_at',
        order_direction: 'desc',
        page: 1,
        size: PAGE_SIZE,
      },
      interactive,
    );
    const recent = page.orders.filter((order) => isOf(order, account) && !isOlder(order, earliest));
    const carrying = await this.keys.placedUnder(claim, recent);
    const isOurs = (order: WireOrder): boolean => placementOf(order) === claim.placementId;
    const since = claim.openSince - MOST_BEHIND_MS;
    const [found, ...more] = carrying.filter((order) => isOurs(order) || !isOlder(order, since));
    const isFull = page.orders.length >= (page.size ?? PAGE_SIZE);
    const mayBeMissed = carrying.length > 0 || page.unreadable > 0 || isFull;
    if (more.length > 0 || (!found && mayBeMissed)) throw ambiguous();
    return found ?? null;
  }
}

function isOf(order: WireOrder, account: ActiveAccount): boolean {
  return order.user_id.toLowerCase() === account.upstream_user_id;
}

function isOlder(order: WireOrder, earliest: number): boolean {
  const createdAt = parseUtcInstant(order.created_at);
  return createdAt !== null && createdAt < earliest;
}

function ownOrder(order: WireOrder, account: ActiveAccount): WireOrder {
  if (isOf(order, account)) return order;
  const facts = { kind: 'contract', reason: 'missing_field', operation: 'POST /v3/order', field: 'user_id' } as const;
  throw new UpstreamError(facts);
}

/** An error of the lookup says nothing about the order. */
function notKnown(cause: UpstreamError): AppError {
  const message = 'It is not yet known whether the order was placed: repeat the request with the same key and body.';
  return new AppError('upstream_unavailable', message, { cause, retryAfterSeconds: cause.retryAfterSeconds ?? 1 });
}

function ambiguous(): AppError {
  return new AppError(
    'placement_unresolved',
    'It cannot be determined which order an earlier call with this key placed, if any: look for yours among the ' +
      "account's orders created since that call. Use it if it is there, and a new key only if it is not.",
  );
}
