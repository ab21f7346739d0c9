/**
 * Query parameter that carries our own correlation value to the app: the redirect itself names neither
 * (docs/upstream/linking-and-tokens.md#redirect).
 */
const attemptParameter = 'link_attempt_id';

const maxLength = 2_048;

/** Scheme, host and what follows, with nothing that two programs could read in two ways: no user name, blank or `\`. */
const plainAddress = /^https?:\/\/[^\s\p{Cc}\\/?#@]+(?:[/?][^\s\p{Cc}\\#]*)?$/iu;

/** Why an address may not be a redirect address, as the end of a sentence; null if it may. */
export function redirectProblem(address: string, allowedOrigins: readonly string[]): string | null {
  if (address.length > maxLength) return `must be at most ${maxLength} characters long`;
  if (!plainAddress.test(address) || !URL.canParse(address)) {
    return 'must be an http(s) URL without spaces, user name or fragment';
  }
  const { origin, searchParams } = new URL(address);
  if (!allowedOrigins.includes(origin)) return 'must have an origin in APP_LINK_REDIRECT_ORIGINS';
  if (searchParams.has(attemptParameter)) return `must not contain the parameter ${attemptParameter}`;
  return null;
}

/** The address upstream is given: as the app asked, with the attempt at the end of its query. */
export function withAttempt(address: string, attemptId: string): string {
  const { href, search } = new URL(address);
  const separator = search !== '' ? '&' : href.endsWith('?') ? '' : '?';
  return `${href}${separator}${attemptParameter}=${encodeURIComponent(attemptId)}`;
}
