import { isUuid } from '../../platform/platform/ids.js';
import { isFields, parseJson, type WireFields } from '../../platform/platform/json-reader.js';

/**
 * Forms of upstream's error bodies (docs/upstream/errors-and-limits.md#error-bodies), distinguished by structure,
 * never by their texts.
 */
export type ErrorShape =
  | 'validation'
  | 'text'
  | 'typed'
  | 'conflict'
  | 'order'
  | 'refresh'
  | 'plain_text'
  | 'empty'
  | 'unknown';

/** Facts about a refusal that are safe to log. */
export interface UpstreamErrorDetail {
  readonly shape: ErrorShape;
  /** Upstream's code, only if it looks like one. */
  readonly errorType?: string;
  /** Distinct locations from a 422, such as `body.client_user_id`. */
  readonly locs?: readonly string[];
  /** The existing user with the `client_user_id` of the refused create (docs/upstream/users.md#conflict). */
  readonly userId?: string;
}

const codePattern = /^[A-Za-z_]{1,64}$/;
const stepPattern = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;
const MAX_LOCS = 20;
const MAX_DEPTH = 10;

function errorTypeOf(fields: WireFields): { errorType?: string } {
  const code = fields.error_type;
  return typeof code === 'string' && codePattern.test(code) ? { errorType: code } : {};
}

/** A path step that is not a plain name may be a value chosen by the sender, so it becomes `*`. */
function locOf(item: unknown): string | undefined {
  if (!isFields(item) || !Array.isArray(item.loc)) return undefined;
  const steps = (item.loc as unknown[]).slice(0, MAX_DEPTH);
  return steps
    .map((step) => {
      if (typeof step === 'number') return String(step);
      return typeof step === 'string' && stepPattern.test(step) ? step : '*';
    })
    .join('.');
}

function validationDetail(items: unknown[]): UpstreamErrorDetail {
  const locs = new Set(items.map(locOf).filter((loc) => loc !== undefined));
  return { shape: 'validation', locs: [...locs].slice(0, MAX_LOCS) };
}

function objectDetail(status: number, detail: WireFields): UpstreamErrorDetail {
  const userId = detail.user_id;
  if (status === 400 && typeof userId === 'string' && isUuid(userId)) {
    return { shape: 'conflict', ...errorTypeOf(detail), userId };
  }
  return { shape: 'typed', ...errorTypeOf(detail) };
}

function withoutDetail(body: WireFields): UpstreamErrorDetail {
  if (typeof body.error !== 'string') return { shape: 'unknown' };
  if (body.success === false) return { shape: 'refresh' };
  return { shape: 'status_code' in body || 'message' in body ? 'order' : 'unknown' };
}

/** Classifies the body of an error response. Never throws; the result contains no text from the body. */
export function classify(status: number, contentType: string | undefined, body: string): UpstreamErrorDetail {
  if (body.trim() === '') return { shape: 'empty' };
  const parsed = contentType?.startsWith('text/html') ? undefined : parseJson(body);
  if (parsed === undefined) return { shape: 'plain_text' };
  if (!isFields(parsed)) return { shape: typeof parsed === 'string' ? 'plain_text' : 'unknown' };
  const { detail } = parsed;
  if (typeof detail === 'string') return { shape: 'text' };
  if (Array.isArray(detail)) return validationDetail(detail);
  if (isFields(detail)) return objectDetail(status, detail);
  return withoutDetail(parsed);
}
