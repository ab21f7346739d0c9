import { AppError, type FieldError } from '../../platform/platform/errors.js';
import { UpstreamError } from '../../upstream/transport/upstream-error.js';
import { type Failure, outcomeUnknown } from '../keys/failure.js';
import { inProgress } from './placement.js';

/*
 * Consequence of a failed call for its placement. Upstream searches for an earlier call with the key before it checks
 * the order (docs/upstream/orders.md#idempotency), so a refusal of the order also proves that no earlier call placed
 * one. No other failure proves that, not even a refusal of our key, because an earlier call may have placed an order.
 */

/** Documented fields of an order (docs/upstream/orders.md#place-an-order). Any other name may be the caller's data. */
const knownFields: ReadonlySet<string> = new Set(
  `user_id patient_details first_name last_name dob gender phone_number email medical_proxy race ethnicity
   sexual_orientation gender_identity household_income household_size patient_address receiver_name first_line
   second_line city state zip country access_notes order_set lab_test_ids add_on marker_ids provider_ids lab_account_id
   lab_test_id collection_method consents consentType version timeOfConsent physician npi licensed_states activate_by
   billing_type priority icd_codes aoe_answers marker_id question_id answer passthrough clinical_notes
   creator_member_id health_insurance`.split(/\s+/),
);

export function failureOf(error: unknown): Failure {
  if (error instanceof AppError) return { settled: error.code === 'conflict', error };
  if (!(error instanceof UpstreamError)) return { settled: false, error };
  if (error.kind === 'rejected') return rejection(error);
  return { settled: false, error: error.kind === 'throttled' ? error : outcomeUnknown(error, unknown) };
}

const unknown = 'It is unknown whether the order was placed. Repeat the request with the same key and body.';

const ownShapes: ReadonlySet<string | undefined> = new Set(['text', 'typed', 'validation', 'order', 'conflict']);

/** True if upstream itself refused the order; a 400 from a proxy is not about the order. */
export function isVerdict({ kind, status, detail }: UpstreamError): boolean {
  return kind === 'rejected' && (status === 400 || status === 422) && ownShapes.has(detail?.shape);
}

function rejection(error: UpstreamError): Failure {
  if (error.status === 409) return { settled: false, error: inProgress(error) };
  if (isVerdict(error)) return { settled: true, error: refused(error) };
  return { settled: false, error };
}

function refused(error: UpstreamError): AppError {
  const fields = [...new Set((error.detail?.locs ?? []).map(fieldOf))].map(fieldError);
  const message =
    error.status === 422
      ? 'Upstream refused the order; nothing was placed. The key may be reused with a corrected body.'
      : 'Upstream refused the order, most often because its tests cannot be combined or a required question is not ' +
        'answered in aoe_answers; nothing was placed. The key may be reused with a corrected body.';
  return new AppError('order_refused', message, { fields, cause: error });
}

/** Converts `body.patient_details.zip` or `body.consents.0.version` to our path; unknown names become `*`. */
function fieldOf(loc: string): string {
  const [first = '', ...rest] = loc.split('.');
  const steps = first === 'body' ? rest : [first, ...rest];
  const path = steps.map((step) => (/^\d+$/.test(step) ? `[${step}]` : knownFields.has(step) ? `.${step}` : '.*'));
  return path.join('').replace(/^\./, '') || 'body';
}

function fieldError(field: string): FieldError {
  return { field, message: 'upstream does not accept this field or its value' };
}
