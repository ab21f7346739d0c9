import { AppError, CodedError, type FieldError } from '../../platform/platform/errors.js';
import { UpstreamError } from '../../upstream/transport/upstream-error.js';
import { bookingInProgress } from './booking-keys.js';

export interface Failure {
  /** Nothing was booked by this or an earlier call; otherwise it is not known. */
  readonly settled: boolean;
  /** For the caller. */
  readonly error: unknown;
}

/**
 * Upstream has judged the request and refused it, in its own form. For a booking 400 and 404 mean the same
 * (docs/upstream/appointments.md#errors-of-availability-and-booking).
 */
export function isVerdict({ kind, status, detail }: UpstreamError): boolean {
  const isOwnForm = detail !== undefined && detail.shape !== 'plain_text' && detail.shape !== 'empty';
  return kind === 'rejected' && (status === 400 || status === 404 || status === 422) && isOwnForm;
}

/** The call may have taken effect although no usable answer came. Nothing is sent while the circuit is open. */
export function mayHaveWorked({ kind, reason }: UpstreamError): boolean {
  return (kind === 'unavailable' || kind === 'contract') && reason !== 'circuit_open';
}

/** What a failed booking means; the order's appointment was looked at before this is asked. */
export function failureOf(error: unknown): Failure {
  if (error instanceof AppError) return { settled: error.code === 'conflict', error };
  if (!(error instanceof UpstreamError)) return { settled: false, error };
  if (isVerdict(error)) return { settled: true, error: refused(error) };
  if (error.kind === 'rejected' && error.status === 409) return { settled: false, error: bookingInProgress(error) };
  return { settled: false, error: error.kind === 'rejected' || error.kind === 'throttled' ? error : unknown(error) };
}

/** Fields of ours by upstream's names; a place that names none of them is left out. */
const fieldNames: Readonly<Record<string, string>> = {
  booking_key: 'booking_key',
  appointment_notes: 'appointment_notes',
  async_confirmation: 'async_confirmation',
  sync_confirmation_timeout_millisecond: 'sync_confirmation_timeout_millisecond',
  async_confirmation_timeout_millisecond: 'async_confirmation_timeout_millisecond',
  cancellationReasonId: 'cancellation_reason_id',
  cancellation_reason_id: 'cancellation_reason_id',
  note: 'note',
};

/** For a verdict: `upstream_invalid_request` where it names fields, else `appointment_refused`. */
export function refused(error: UpstreamError): AppError {
  const names = new Set((error.detail?.locs ?? []).flatMap((loc) => fieldNames[loc.split('.')[1] ?? ''] ?? []));
  const fields = [...names].map((field): FieldError => ({ field, message: 'upstream does not accept this value' }));
  if (fields.length > 0) {
    return new AppError('upstream_invalid_request', 'Upstream does not accept the request.', { fields, cause: error });
  }
  const message =
    'Upstream refuses: the slot may be taken or its offer over, the order without a requisition, or the appointment ' +
    'no longer to be changed. Search for slots again; nothing was changed.';
  return new AppError('appointment_refused', message, { cause: error });
}

function unknown(cause: UpstreamError): CodedError {
  const message =
    'It is not known whether the appointment was booked: repeat the request with the same key and body. A 503 of ' +
    'upstream can also mean that scheduling is not enabled for the team.';
  return new AppError(cause.code, message, { cause, retryAfterSeconds: cause.retryAfterSeconds ?? 1 });
}
