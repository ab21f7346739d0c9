import { callInProgress } from '../../http/server/idempotency-key.js';
import { AppError } from '../../platform/platform/errors.js';
import { HOUR_MS } from '../../platform/platform/time.js';
import type { CallKind } from '../keys/call-kind.js';

/**
 * Upstream may forget a key after 24 hours and then place a second order (docs/upstream/orders.md#idempotency). One
 * hour less allows for clock differences.
 */
const REPEATABLE_MS = 23 * HOUR_MS;

/** The call that places an order. */
export const placement: CallKind = {
  subject: 'order',
  reused: 'body',
  inProgress,
  assertRepeatable: (openSince, now) => {
    if (now - openSince >= REPEATABLE_MS) throw unresolved();
  },
};

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
