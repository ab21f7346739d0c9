import { AppError, type FieldError } from '../../platform/platform/errors.js';
import type { UpstreamError } from '../transport/upstream-error.js';

/** Our names of request fields, by upstream's names. */
export type SentFields = Readonly<Record<string, string>>;

/** Fields with the same name on both sides. `names` are separated by whitespace. */
export function sameNames(names: string): SentFields {
  return Object.fromEntries(names.split(/\s+/).map((name) => [name, name]));
}

/** True for upstream's 422 about fields of the request (docs/upstream/errors-and-limits.md#error-bodies). */
export function refusesInput({ status, detail }: UpstreamError): boolean {
  return status === 422 && detail?.shape === 'validation';
}

/** An error that gives the caller our names of the refused fields, without text from upstream. */
export function inputRefusal(error: UpstreamError, sent: SentFields, message: string): AppError {
  const fields = (error.detail?.locs ?? []).flatMap((loc) => fieldOf(loc, sent));
  return new AppError('upstream_invalid_request', message, { cause: error, fields });
}

/** `body.labs.0` becomes `labs[0]`. Omits a location that is not a sent field, because it may be a value. */
function fieldOf(loc: string, sent: SentFields): FieldError[] {
  const [, name = '', ...steps] = loc.split('.');
  if (!Object.hasOwn(sent, name)) return [];
  const field = steps.reduce(
    (path, step) => (/^\d+$/.test(step) ? `${path}[${step}]` : `${path}.*`),
    sent[name] ?? name,
  );
  return [{ field, message: 'upstream does not accept this value' }];
}
