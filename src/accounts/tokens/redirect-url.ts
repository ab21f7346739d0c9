/**
 * Query parameter that names the attempt that ended, because upstream's redirect names neither user nor provider
 * (docs/upstream/linking-and-tokens.md#redirect).
 */
const attemptParameter = 'link_attempt_id';

const MAX_LENGTH = 2_048;

/** Excludes everything that two programs could parse differently, such as a user name, a blank or `\`. */
const plainAddress = /^https?:\/\/[^\s\p{Cc}\\/?#@]+(?:[/?][^\s\p{Cc}\\#]*)?$/iu;

/** Why an address is not allowed as a redirect address, as the end of a sentence; null if it is allowed. */
export function redirectProblem(address: string, allowedOrigins: readonly string[]): string | null {
  if (address.length > MAX_LENGTH) return `must be at most ${MAX_LENGTH} characters long`;
  if (!plainAddress.test(address) || !URL.canParse(address)) {
    return 'must be an http(s) URL without spaces, user name or fragment';
  }
  const { origin, searchParams } = new URL(address);
  if (!allowedOrigins.includes(origin)) return 'must have an origin in APP_LINK_REDIRECT_ORIGINS';
  if (searchParams.has(attemptParameter)) return `must not contain the parameter ${attemptParameter}`;
  return null;
}

/** The address to send to upstream: the app's address, with the attempt appended to its query. */
export function withAttempt(address: string, attemptId: string): string {
  const { href, search } = new URL(address);
  const separator = search !== '' ? '&' : href.endsWith('?') ? '' : '?';
  return `${href}${separator}${attemptParameter}=${encodeURIComponent(attemptId)}`;
}
