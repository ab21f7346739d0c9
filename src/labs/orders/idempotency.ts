import { callInProgress, keyReused } from '../../http/server/idempotency-key.js';
import { AppError, CodedError, loggable } from '../../platform/platform/errors.js';
import { HOUR_MS } from '../../platform/platform/time.js';
import type { UpstreamError } from '../../upstream/transport/upstream-error.js';
import type { OrderPlacementEntity } from './order-placement.entity.js';

/** The stored state of a used key. */
export type ExistingRequest = Pick<OrderPlacementEntity, 'state' | 'fingerprint' | 'open_since' | 'order_id'>;

export interface NewRequest {
  readonly fingerprint: string;
  readonly now: number;
  /** True if a call of another request may be in progress. */
  readonly isCalling: boolean;
}

/** `call`: upstream may be called. `placed`: the order is already known. */
export type IdempotencyDecision = { readonly kind: 'call' } | { readonly kind: 'placed'; readonly orderId: string };

/**
 * Upstream may forget a key after 24 hours and then place a second order (docs/upstream/orders.md#idempotency). One
 * hour less allows for clock differences.
 */
const REPEATABLE_MS = 23 * HOUR_MS;

/**
 * Decides about a request with a used key. Throws `idempotency_key_reused` for another body, `placement_in_progress`
 * while a call may be in progress, and `placement_unresolved` if a repeat is no longer safe.
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
    'The outcome of the first call is unknown, and it is too old to repeat safely. Look for the order among the ' +
      'orders of the account created since that call. If it is there, use it; only if it is not, use a new key.',
  );
}

/** What a failed call means for its key. */
export interface Failure {
  /** True if neither this nor an earlier call had an effect; false if that is unknown. */
  readonly settled: boolean;
  /** For the caller. */
  readonly error: unknown;
}

/** The failure as stored with its key. */
export function storedFailure({ settled, error }: Failure): { settled: boolean; code: string } {
  return { settled, code: error instanceof CodedError ? error.code : 'internal' };
}

/** The failure as logged: upstream's error, if ours wraps one. */
export function loggableFailure(error: unknown): ReturnType<typeof loggable> {
  return loggable(error instanceof CodedError && error.cause instanceof CodedError ? error.cause : error);
}

/** The error for a call whose outcome is unknown; the caller may repeat the request. */
export function outcomeUnknown(cause: UpstreamError, message: string): AppError {
  return new AppError(cause.code, message, { cause, retryAfterSeconds: cause.retryAfterSeconds ?? 1 });
}
