import { AppError, type FieldError } from '../../platform/platform/errors.js';
import type { UpstreamError } from '../transport/upstream-error.js';

/** Fields of our request by upstream's name for them. */
export type SentFields = Readonly<Record<string, string>>;

/** Fields that have the same name on both sides, separated by blanks. */
export function sameNames(names: string): SentFields {
  return Object.fromEntries(names.split(/\s+/).map((name) => [name, name]));
}

/** Upstream's 422 about what it was sent (docs/upstream/errors-and-limits.md#error-bodies). */
export function refusesInput({ status, detail }: UpstreamError): boolean {
  return status === 422 && detail?.shape === 'validation';
}

/** Field errors for the caller: our names of the refused fields, no text from upstream. */
export function inputRefusal(error: UpstreamError, sent: SentFields, message: string): AppError {
  const fields = (error.detail?.locs ?? []).flatMap((loc) => fieldOf(loc, sent));
  return new AppError('upstream_invalid_request', message, { cause: error, fields });
}

/** `body.labs.0` is `labs[0]` of the request; a place that names no field of it may be a value, and is left out. */
function fieldOf(loc: string, sent: SentFields): FieldError[] {
  const [, name = '', ...steps] = loc.split('.');
  if (!Object.hasOwn(sent, name)) return [];
  const field = steps.reduce(
    (path, step) => (/^\d+$/.test(step) ? `${path}[${step}]` : `${path}.*`),
    sent[name] ?? name,
  );
  return [{ field, message: 'upstream does not accept this value' }];
}
