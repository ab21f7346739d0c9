import type { ErrorCode } from '../../platform/platform/errors.js';

interface ProblemCode {
  status: number;
  title: string;
}

/** The only mapping from code to HTTP status. */
export const problemCodes: Readonly<Record<ErrorCode, ProblemCode>> = {
  invalid_request: { status: 400, title: 'The request is invalid' },
  account_id_not_allowed: { status: 400, title: 'The account id is not allowed' },
  access_reason_required: { status: 400, title: 'A reason for the access is required' },
  idempotency_key_required: { status: 400, title: 'An idempotency key is required' },
  malformed_webhook: { status: 400, title: 'The webhook headers are missing or malformed' },
  unauthorized: { status: 401, title: 'Authentication is required' },
  bad_signature: { status: 401, title: 'The signature is invalid' },
  forbidden: { status: 403, title: 'This is not allowed' },
  account_blocked: { status: 403, title: 'The account is blocked' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'The path does not support this method' },
  result_not_ready: { status: 404, title: 'No result is available yet' },
  document_not_ready: { status: 404, title: 'Upstream has no such document' },
  conflict: { status: 409, title: 'The request conflicts with the current state' },
  not_synced: { status: 409, title: 'The resource is not pulled from upstream' },
  placement_in_progress: { status: 409, title: 'An order is being placed with this key' },
  placement_unresolved: { status: 409, title: 'The outcome of placing the order is unknown' },
  order_not_cancellable: { status: 409, title: 'The order can no longer be cancelled' },
  booking_in_progress: { status: 409, title: 'An appointment is being booked for the order' },
  account_erased: { status: 409, title: 'The account is being erased or was erased' },
  upstream_user_limit: { status: 409, title: 'Upstream has reached its user limit' },
  request_timeout: { status: 408, title: 'The request took too long to arrive' },
  cursor_expired: { status: 410, title: 'Changes after the cursor were deleted' },
  feed_restarted: { status: 410, title: 'The cursor belongs to another feed' },
  cursor_ahead: { status: 410, title: 'The cursor is ahead of the feed' },
  payload_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'The content type is not supported' },
  upstream_invalid_request: { status: 422, title: 'Upstream refused the request as invalid' },
  idempotency_key_reused: { status: 422, title: 'The idempotency key belongs to another request' },
  order_refused: { status: 422, title: 'Upstream refused the order' },
  appointment_refused: { status: 422, title: 'Upstream refused the appointment' },
  rate_limited: { status: 429, title: 'Too many requests' },
  headers_too_large: { status: 431, title: 'The headers are too large' },
  caller_left: { status: 499, title: 'The client closed the request' },
  internal: { status: 500, title: 'Internal error' },
  lane_refused: { status: 500, title: 'Internal error' },
  upstream_rejected: { status: 502, title: 'Upstream refused the call' },
  upstream_contract: { status: 502, title: 'The response from upstream violates its contract' },
  upstream_throttled: { status: 503, title: 'Upstream is throttling requests' },
  upstream_unavailable: { status: 503, title: 'Upstream is unavailable' },
  verification_unavailable: { status: 503, title: 'Access tokens cannot be verified at the moment' },
  busy: { status: 503, title: 'Too many requests are waiting' },
  tokens_closed: { status: 503, title: 'Token issuance is disabled' },
  storage_unavailable: { status: 503, title: 'The database is unavailable' },
  inbox_behind: { status: 503, title: 'The inbox is behind' },
  shutting_down: { status: 503, title: 'The service is shutting down' },
  not_ready: { status: 503, title: 'The service is not ready' },
};

/** Codes for the framework's own errors; any other 4xx is an invalid request. */
export const codeOfStatus: Readonly<Partial<Record<number, ErrorCode>>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  409: 'conflict',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  429: 'rate_limited',
};
