import { keyReused } from '../../http/server/idempotency-key.js';
import type { AppError } from '../../platform/platform/errors.js';
import type { KeySubject } from './idempotency-key.entity.js';
import type { KeyRow } from './idempotency-keys.repository.js';

/** A kind of call that must not happen twice. */
export interface CallKind {
  readonly subject: KeySubject;
  /** True if callers are persons: two of them may choose the same key. */
  readonly isKeyOfAccount?: boolean;
  /** Subject of a used key, as the error for another one says. */
  readonly reused: 'body' | 'request';
  /** The error while another call under the key, or about the same object, may be in progress. */
  readonly inProgress: () => AppError;
  /** Throws unless a call may follow one without an outcome. Without it, it always may. */
  readonly assertRepeatable?: (openSince: number, now: number) => void;
}

export interface NewRequest {
  readonly fingerprint: string;
  readonly now: number;
  /** True if a call of another request may be in progress. */
  readonly isCalling: boolean;
}

/**
 * Decides about a request with a stored key: upstream may be called, or the outcome is already known. Throws
 * `idempotency_key_reused` for another body, and the errors of the kind.
 */
export function decide(
  { state, fingerprint, open_since }: Pick<KeyRow, 'state' | 'fingerprint' | 'open_since'>,
  request: NewRequest,
  kind: CallKind,
): 'call' | 'done' {
  if (state !== 'refused' && fingerprint !== request.fingerprint) throw keyReused(kind.reused);
  if (state === 'done') return 'done';
  if (request.isCalling) throw kind.inProgress();
  if (open_since !== null) kind.assertRepeatable?.(open_since, request.now);
  return 'call';
}
