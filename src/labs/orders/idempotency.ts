import { callInProgress, keyReused } from '../../http/server/idempotency-key.js';
import { AppError } from '../../platform/platform/errors.js';
import { HOUR_MS } from '../../platform/platform/time.js';
import type { OrderPlacementEntity } from './order-placement.entity.js';

/** The stored state of a key that was used before. */
export type ExistingRequest = Pick<OrderPlacementEntity, 'state' | 'fingerprint' | 'open_since' | 'order_id'>;

export interface NewRequest {
  readonly fingerprint: string;
  readonly now: number;
  /** A call of another request may be in progress. */
  readonly isCalling: boolean;
}

/** `call`: upstream may be called. `placed`: the order is known already. */
export type IdempotencyDecision = { readonly kind: 'call' } | { readonly kind: 'placed'; readonly orderId: string };

/**
 * Upstream may drop a key after 24 hours and then place a second order (docs/upstream/orders.md#idempotency); one hour
 * is for clocks.
 */
const REPEATABLE_MS = 23 * HOUR_MS;

/**
 * Decides on a request with a used key. Throws `idempotency_key_reused` for another body,
 * `placement_in_progress` while a call may be under way, `placement_unresolved` when repeating is no longer safe.
 */
export function decide(existing: ExistingRequest, request: NewRequest): IdempotencyDecision {
  const { state, order_id, open_since } = existing;
  if (state === 'refused') return { kind: 'call' };
  if (existing.fingerprint !== request.fingerprint) throw keyReused('body');
  if (state === 'placed' && order_id !== null) return { kind: 'placed', orderId: order_id };
  if (request.isCalling) throw inProgress();
  if (open_since !== null && request.now - open_since >= REPEATABLE_MS) throw unresolved();
  return { kind: 'call' };
}

/** Also thrown while upstream still processes an earlier call with the key. */
export function inProgress(cause?: unknown): AppError {
  return callInProgress('placement_in_progress', 'An order is being placed with this key', cause);
}

function unresolved(): AppError {
  return new AppError(
    'placement_unresolved',
    'The outcome of the first call is unknown, and it is too old to be repeated safely: look for the order ' +
      'among the orders of the account, and use a new key only if it is not there.',
  );
}
