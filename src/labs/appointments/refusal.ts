import { callInProgress } from '../../http/server/idempotency-key.js';
import { AppError } from '../../platform/platform/errors.js';
import { inputRefusal, sameNames } from '../../upstream/client/input-refusal.js';
import { UpstreamError } from '../../upstream/transport/upstream-error.js';
import { type Failure, outcomeUnknown } from '../keys/failure.js';

/**
 * Meaning of a failed booking, after the order's appointment was read. 400 and 404 mean the same
 * (docs/upstream/appointments.md#errors-of-availability-and-booking).
 */
export function failureOf(error: unknown): Failure {
  if (error instanceof AppError) return { settled: error.code === 'conflict', error };
  if (!(error instanceof UpstreamError)) return { settled: false, error };
  if (error.isVerdict) return { settled: true, error: refused(error) };
  if (error.kind === 'rejected' && error.status === 409) return { settled: false, error: bookingInProgress(error) };
  return {
    settled: false,
    error: error.kind === 'rejected' || error.kind === 'throttled' ? error : outcomeUnknown(error, unknown),
  };
}

/** Also thrown while upstream still processes an earlier call with the key. */
export function bookingInProgress(cause?: unknown): AppError {
  return callInProgress('booking_in_progress', 'An appointment is being booked for this order', cause);
}

const unknown =
  'It is unknown whether the appointment was booked. Repeat the request with the same key and body. A 503 from ' +
  'upstream can also mean that scheduling is not enabled for the team.';

const sent = {
  ...sameNames('booking_key appointment_notes async_confirmation cancellation_reason_id note'),
  ...sameNames('sync_confirmation_timeout_millisecond async_confirmation_timeout_millisecond'),
  cancellationReasonId: 'cancellation_reason_id',
};

/** The error for a refusal: `upstream_invalid_request` if it names fields, else `appointment_refused`. */
export function refused(error: UpstreamError): AppError {
  const refusal = inputRefusal(error, sent, 'Upstream does not accept the request.');
  if (refusal.fields?.length) return refusal;
  const message =
    'Upstream refused. The slot may be taken or expired, the order may have no requisition, or the appointment ' +
    'can no longer be changed. Nothing was changed; search for slots again.';
  return new AppError('appointment_refused', message, { cause: error });
}
