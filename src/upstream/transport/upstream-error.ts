import { CodedError } from '../../platform/platform/errors.js';
import type { UpstreamErrorDetail } from './error-shapes.js';

/**
 * `rejected`: upstream refused the call; do not retry. `throttled`: retry after `retryAfterMs`. `unavailable`: no
 * usable response; the call may have taken effect. `contract`: the response cannot be read; an operator has to
 * investigate.
 */
export const upstreamErrorKinds = ['rejected', 'throttled', 'unavailable', 'contract'] as const;
export type UpstreamErrorKind = (typeof upstreamErrorKinds)[number];

export type UpstreamErrorReason =
  | 'status'
  | 'network'
  | 'timeout'
  | 'deadline'
  | 'circuit_open'
  /** Not sent, because upstream recently requested a pause. */
  | 'paused'
  | 'too_large'
  | 'not_json'
  | 'not_pdf'
  | 'missing_field'
  | 'not_sendable';

export interface UpstreamErrorFacts {
  kind: UpstreamErrorKind;
  reason: UpstreamErrorReason;
  /** Method and route template, `GET /v2/user/{user_id}`. */
  operation: string;
  status?: number;
  retryAfterMs?: number;
  /** A 429 that applies to all callers of the operation. */
  isForAll?: boolean;
  detail?: UpstreamErrorDetail;
  /** Name of the field that is missing or unusable, for `missing_field`. */
  field?: string;
}

function sentence(facts: UpstreamErrorFacts): string {
  const parts: string[] = [facts.reason];
  if (facts.status !== undefined) parts.push(String(facts.status));
  if (facts.detail) parts.push(facts.detail.shape);
  if (facts.field !== undefined) parts.push(facts.field);
  return `upstream ${facts.kind} ${facts.operation} (${parts.join(', ')})`;
}

/**
 * The only error that the upstream client throws. Holds structural facts only: no text, body, header, key or URL with
 * an id, and no cause, because the HTTP library's errors contain all of those.
 */
export class UpstreamError extends CodedError {
  readonly kind = this.facts.kind;
  readonly code = `upstream_${this.kind}` as const;
  readonly reason = this.facts.reason;
  readonly operation = this.facts.operation;
  readonly status = this.facts.status;
  readonly detail = this.facts.detail;
  /** Wait requested by upstream or the rest of our own pause, in milliseconds; at most an hour. */
  readonly retryAfterMs = this.facts.retryAfterMs === undefined ? undefined : Math.ceil(this.facts.retryAfterMs);

  constructor(private readonly facts: UpstreamErrorFacts) {
    const { retryAfterMs } = facts;
    super(sentence(facts), retryAfterMs === undefined ? {} : { retryAfterSeconds: Math.ceil(retryAfterMs / 1000) });
  }

  /** A copy of this error, marked as a 429 for all callers. */
  forAll(): UpstreamError {
    return new UpstreamError({ ...this.facts, isForAll: true });
  }

  /** A later call may succeed. */
  get isTransient(): boolean {
    return this.kind === 'unavailable' || this.kind === 'throttled';
  }

  /** Upstream refused this call; a retry would fail the same way. */
  get isRefusal(): boolean {
    return this.kind === 'rejected';
  }

  /** Upstream refuses our key; only an operator can fix this. */
  get isUnauthorized(): boolean {
    return this.kind === 'rejected' && this.status === 401;
  }

  /** Every other call of the operation would fail the same way now. */
  get concernsEverybody(): boolean {
    return this.facts.isForAll === true || this.reason === 'circuit_open' || this.isUnauthorized;
  }

  /** True for a 404 in upstream's own form; a 404 from a proxy or a wrong base URL does not prove absence. */
  get isNotFound(): boolean {
    return this.status === 404 && this.isOwnForm;
  }

  /** Upstream itself refused the request, not a proxy in front of it. */
  get isVerdict(): boolean {
    return this.isRefusal && (this.status === 400 || this.status === 404 || this.status === 422) && this.isOwnForm;
  }

  /** The call may have taken effect without a usable response. Nothing is sent while the circuit is open. */
  get mayHaveWorked(): boolean {
    return (this.kind === 'unavailable' || this.kind === 'contract') && this.reason !== 'circuit_open';
  }

  private get isOwnForm(): boolean {
    const shape = this.detail?.shape;
    return shape !== undefined && shape !== 'plain_text' && shape !== 'empty';
  }
}
