import { Injectable } from '@nestjs/common';
import type { ActiveAccount } from '../../accounts/accounts/account-mapping.js';
import { assertWritable } from '../../accounts/erasure-guard/open-accounts.js';
import { AppError } from '../../platform/platform/errors.js';
import { DAY_MS, HOUR_MS, parseUtcInstant, toIso } from '../../platform/platform/time.js';
import { UpstreamClient } from '../../upstream/client/upstream.client.js';
import type { WireOrder } from '../../upstream/client/wire-orders.js';
import { interactive } from '../../upstream/transport/call.js';
import { UpstreamError } from '../../upstream/transport/upstream-error.js';
import { type CallClaim, type Claim, IdempotencyKeys } from '../keys/idempotency-keys.service.js';
import { isCarriedBy, placementOf, withCorrelationId } from '../orders/correlation-id.js';
import { placement } from './placement.js';

export interface PlacementRequest {
  readonly account: number;
  readonly idempotencyKey: string;
  /** The body for upstream, without our correlation id. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** Permission to place an order once, with this body. */
export interface PlacementClaim extends CallClaim {
  readonly body: PlacementRequest['body'];
}

const PAGE_SIZE = 100;
/** Maximum time by which upstream's clock may be behind ours. */
const MAX_BEHIND_MS = HOUR_MS / 12;
/** Maximum time by which our clock may have been ahead when the call began, if it was corrected since. */
const MAX_SET_BACK_MS = DAY_MS;

/**
 * The calls that place an order. Upstream may create an order, return an error and forget the key
 * (docs/upstream/orders.md#idempotency), so a body is never sent again before looking for the order.
 */
@Injectable()
export class OrderCalls {
  constructor(
    private readonly client: UpstreamClient,
    private readonly keys: IdempotencyKeys,
  ) {}

  /** Stores the key before the call. Throws what the placement throws, and `account_erased`. */
  async claim({
    account,
    idempotencyKey,
    body,
  }: PlacementRequest): Promise<PlacementClaim | Exclude<Claim, CallClaim>> {
    const claim = await this.keys.claim(placement, idempotencyKey, async (tx) => {
      await assertWritable(tx, account);
      return { account, objectId: null, content: body };
    });
    return claim.kind === 'done' ? claim : { ...claim, body: withCorrelationId(body, claim.callId) };
  }

  /**
   * The order placed by an earlier call of the claim; null if upstream has none. Throws `upstream_unavailable` if the
   * orders cannot be read, and `placement_unresolved` if several orders match or the matching one may have been missed.
   */
  async findEarlier(account: ActiveAccount, claim: PlacementClaim): Promise<WireOrder | null> {
    if (!claim.isRepeat) return null;
    try {
      return await this.look(account, claim);
    } catch (error) {
      if (error instanceof UpstreamError) throw notKnown(error);
      throw error;
    }
  }

  /** Sends the order once. If the outcome is unknown, immediately looks for the order. */
  async send(account: ActiveAccount, claim: PlacementClaim): Promise<WireOrder> {
    try {
      const { order } = await this.client.createOrder(claim.body, claim.callId, interactive);
      return ownOrder(order, account);
    } catch (error) {
      if (!(error instanceof UpstreamError) || !error.mayHaveWorked) throw error;
      const found = await this.look(account, claim).catch(() => null);
      if (found) return found;
      throw error;
    }
  }

  private async look(account: ActiveAccount, claim: PlacementClaim): Promise<WireOrder | null> {
    const earliest = claim.openSince - MAX_SET_BACK_MS;
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
    const carrying = await this.placedUnder(claim, recent);
    const isOurs = (order: WireOrder): boolean => placementOf(order) === claim.callId;
    const since = claim.openSince - MAX_BEHIND_MS;
    const [found, ...more] = carrying.filter((order) => isOurs(order) || !isOlder(order, since));
    const isFull = page.orders.length >= (page.size ?? PAGE_SIZE);
    const mayBeMissed = carrying.length > 0 || page.unreadable > 0 || isFull;
    if (more.length > 0 || (!found && mayBeMissed)) throw ambiguous();
    return found ?? null;
  }

  /** Those of the orders that the claim may have placed: they have its `passthrough`, and no other key placed them. */
  private async placedUnder(claim: PlacementClaim, orders: readonly WireOrder[]): Promise<WireOrder[]> {
    const carrying = orders.filter((order) => isCarriedBy(order, claim));
    const ids = carrying.map(({ id }) => id);
    const others = await this.keys.outcomesOfOthers(claim, ids);
    return carrying.filter(({ id }) => !others.has(id));
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

/** The error if the lookup failed, so that the outcome stays unknown. */
function notKnown(cause: UpstreamError): AppError {
  const message = 'It is not yet known whether the order was placed. Repeat the request with the same key and body.';
  return new AppError('upstream_unavailable', message, { cause, retryAfterSeconds: cause.retryAfterSeconds ?? 1 });
}

function ambiguous(): AppError {
  return new AppError(
    'placement_unresolved',
    'It is unclear which order, if any, an earlier call with this key placed. Look for it among the orders of the ' +
      'account created since that call. If it is there, use it; only if it is not, use a new key.',
  );
}
