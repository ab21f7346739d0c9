import type { Ids } from '../engine/random.js';

/** A response other than success, thrown from any depth below a route. */
export class UpstreamAnswer extends Error {
  constructor(
    readonly status: number,
    readonly body: unknown,
  ) {
    super(`answer ${status}`);
  }
}

export interface ValidationItem {
  loc: (string | number)[];
  msg: string;
  type: string;
}

const WORDINGS: Readonly<Record<string, readonly string[]>> = {
  user: ['User not found', 'Could not find user.', 'No such user in this team', 'user does not exist'],
  order: ['Order not found', 'No order with this id', 'Unable to find the order'],
  lab: ['Lab not found', 'No lab with this id'],
  lab_test: ['Lab test not found', 'No lab test with this id'],
  transaction: ['Order transaction not found', 'No such transaction', 'Transaction does not exist'],
  result: ['Results not found', 'No results yet for this order', 'Result not available'],
  document: ['Document not found', 'No such document for this order', 'PDF is not available'],
  device: ['Device not found', 'No such device'],
  workout: ['Workout not found', 'No stream for this workout'],
  profile: ['Profile not found', 'No profile for this user'],
  review_queue: ['Review queue is not enabled', 'This team has no review queue'],
  report: ['File cannot be processed', 'Invalid lab report'],
  parsing_job: ['Job not found', 'No parsing job with this id'],
  unmatched_result: ['Unmatched result not found', 'No such result to review'],
  appointment: ['Appointment not found', 'There is no appointment'],
  connection: ['User is not connected to this provider', 'Connection not found'],
  slots: ['No slots found', 'No appointment availability', 'There are no open times'],
  key: ['Invalid API key', 'Not authenticated', 'API key is missing or wrong'],
  conflict: [
    'Client user id already exists.',
    'A user with this client id was created before',
    'client_user_id is taken',
  ],
  taken: ['client_user_id already in use', 'This client id belongs to another user'],
  limit: ['User limit reached for this environment', 'The sandbox holds no more users', 'Too many live users'],
  empty_patch: ['Nothing to update', 'At least one field must be given'],
  restore: ['User cannot be restored', 'The user is not pending deletion'],
  demo: ['User has real connections', 'A demo user holds demo connections only'],
  refresh_rate: ['Refresh rate limit exceeded', 'Too many refresh calls for this user'],
  no_connection: ['User has no connections', 'Nothing to refresh'],
  cancel: ['Order can no longer be cancelled', 'This order is not cancellable'],
  selection: ['Invalid test selection', 'The tests of this order do not fit together'],
  questions: ['Missing required questions'],
  booking: ['Booking failed', 'The slot is not bookable', 'Could not book this slot'],
  scheduling: ['Scheduling is not enabled', 'Appointment scheduling is off for this team'],
  site: ['Search input not usable', 'Invalid site or search area'],
  busy: ['A request with this idempotency key is running', 'Concurrent request'],
};

/**
 * Wordings of upstream's errors. They vary from call to call (docs/upstream/errors-and-limits.md#error-bodies), so
 * clients must not branch on them.
 */
export class Wording {
  constructor(private readonly ids: Ids) {}

  of(condition: string): string {
    const count = this.ids.integer(`wording ${condition}`);
    return this.ids.rng('wording', condition, count).pick(WORDINGS[condition] ?? ['Bad request']);
  }

  /** `{"detail": "<text>"}` */
  plain(status: number, condition: string): UpstreamAnswer {
    return new UpstreamAnswer(status, { detail: this.of(condition) });
  }

  /** `{"detail": {"error_type", "error_message", ...}}` */
  typed(status: number, condition: string, extra: Record<string, unknown> = {}): UpstreamAnswer {
    const detail = { error_type: 'INVALID_REQUEST', error_message: this.of(condition), ...extra };
    return new UpstreamAnswer(status, { detail });
  }

  /** `{"error", "message", "status_code"}`: an order that can no longer be cancelled. */
  refused(condition: string): UpstreamAnswer {
    return new UpstreamAnswer(400, { error: 'Bad Request', message: this.of(condition), status_code: 400 });
  }
}

/** Upstream's 422 for a fault that no schema describes. */
export function invalid(loc: (string | number)[], msg: string, type = 'value_error'): UpstreamAnswer {
  return new UpstreamAnswer(422, { detail: [{ loc, msg, type } satisfies ValidationItem] });
}
