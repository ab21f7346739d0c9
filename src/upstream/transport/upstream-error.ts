import { CodedError } from '../../platform/platform/errors.js';
import type { UpstreamErrorDetail } from './error-shapes.js';

/**
 * `rejected`: upstream understood and said no, repeating is pointless. `throttled`: later, see `retryAfterMs`.
 * `unavailable`: no usable answer came, the call may or may not have taken effect. `contract`: an answer came that we
 * cannot read; somebody has to look.
 */
export const upstreamErrorKinds = ['rejected', 'throttled', 'unavailable', 'contract'] as const;
export type UpstreamErrorKind = (typeof upstreamErrorKinds)[number];

export type UpstreamErrorReason =
  | 'status'
  | 'network'
  | 'timeout'
  | 'deadline'
  | 'circuit_open'
  /** Not sent: upstream asked for a pause shortly before. */
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
  /** A 429 that is for everybody who calls the operation. */
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
 * The one error of the upstream client. It is made of structural facts alone: no text, body, header, key or address
 * with an id ever enters it, and it has no cause, because the errors of the HTTP library carry all of those.
 */
export class UpstreamError extends CodedError {
  readonly code: `upstream_${UpstreamErrorKind}`;
  readonly kind: UpstreamErrorKind;
  readonly reason: UpstreamErrorReason;
  readonly operation: string;
  readonly status: number | undefined;
  /** How long upstream asked to be left alone, or is not asked by us, at most an hour; whole milliseconds. */
  readonly retryAfterMs: number | undefined;
  readonly detail: UpstreamErrorDetail | undefined;

  constructor(private readonly facts: UpstreamErrorFacts) {
    const { retryAfterMs } = facts;
    super(sentence(facts), retryAfterMs === undefined ? {} : { retryAfterSeconds: Math.ceil(retryAfterMs / 1000) });
    this.code = `upstream_${facts.kind}`;
    this.kind = facts.kind;
    this.reason = facts.reason;
    this.operation = facts.operation;
    this.status = facts.status;
    this.retryAfterMs = retryAfterMs === undefined ? undefined : Math.ceil(retryAfterMs);
    this.detail = facts.detail;
  }

  /** The same, of a 429 that is for everybody. */
  forAll(): UpstreamError {
    return new UpstreamError({ ...this.facts, isForAll: true });
  }

  /** Upstream may answer later. */
  get isTransient(): boolean {
    return this.kind === 'unavailable' || this.kind === 'throttled';
  }

  /** Upstream said no to this very call; asking again changes nothing. */
  get isRefusal(): boolean {
    return this.kind === 'rejected';
  }

  /** Our key is refused, which only an operator can mend. */
  get isUnauthorized(): boolean {
    return this.kind === 'rejected' && this.status === 401;
  }

  /** Any other call of the operation would fare the same now. */
  get concernsEverybody(): boolean {
    return this.facts.isForAll === true || this.reason === 'circuit_open' || this.isUnauthorized;
  }

  /** True for a 404 in upstream's own form; one of a proxy or of a wrong base address is not proof of absence. */
  get isNotFound(): boolean {
    const shape = this.detail?.shape;
    return this.status === 404 && shape !== undefined && shape !== 'plain_text' && shape !== 'empty';
  }
}
