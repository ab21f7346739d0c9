import { AppError, CodedError, loggable } from '../../platform/platform/errors.js';
import type { UpstreamError } from '../../upstream/transport/upstream-error.js';

/** Consequence of a failed call for its key. */
export interface Failure {
  /** True if neither this nor an earlier call had an effect; false if that is unknown. */
  readonly settled: boolean;
  /** For the caller. */
  readonly error: unknown;
}

/** The failure as logged: upstream's error, if ours wraps one. */
export function loggableFailure(error: unknown): ReturnType<typeof loggable> {
  return loggable(error instanceof CodedError && error.cause instanceof CodedError ? error.cause : error);
}

/** The error for a call whose outcome is unknown; the caller may repeat the request. */
export function outcomeUnknown(cause: UpstreamError, message: string): AppError {
  return new AppError(cause.code, message, { cause, retryAfterSeconds: cause.retryAfterSeconds ?? 1 });
}
