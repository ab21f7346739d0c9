import type { JWTHeaderParameters, JWTPayload } from 'jose';
import type { OfIssuer } from '../../platform/config/of-issuers.js';

const rfcTypes = ['at+jwt', 'application/at+jwt'];
const headerTypes = ['jwt', ...rfcTypes];

/** Claims with the client that a token was issued to: of RFC 9068, OpenID Connect, Okta and Entra ID (1.0). */
const clientClaims = ['client_id', 'azp', 'cid', 'appid'];

const claimTypes = ['bearer', 'access'];
/** Values of the claim `type` of other tokens (Pocket ID). Elsewhere the claim may mean anything. */
const otherTypes = /^(?:id|refresh|logout)[-_]token$/i;
/** Claims that identity tokens have, and that access tokens have only at issuers that also mark them (Keycloak). */
const identityClaims = ['nonce', 'at_hash', 'c_hash', 's_hash'];

/**
 * False for a token that its issuer marks as something else, such as an identity, refresh or logout token: by the
 * header `typ` (RFC 9068, RFC 8725 section 3.11), the claim `token_use` (Amazon Cognito), the claim `typ` (Keycloak),
 * the claim `events` (logout tokens, OpenID Connect Back-Channel Logout 2.4), the claim `type` (Pocket ID) or claims of
 * identity tokens.
 */
export function isAccessToken(header: JWTHeaderParameters, claims: JWTPayload): boolean {
  const isOther =
    !isOneOf(header.typ, headerTypes) ||
    !isOneOf(claims['token_use'], ['access']) ||
    !isOneOf(claims['typ'], [...claimTypes, ...headerTypes]) ||
    otherTypes.test(String(claims['type'])) ||
    'events' in claims;
  if (isOther) return false;
  return isMarked(header, claims) || !identityClaims.some((name) => name in claims);
}

/** Stricter: true only for a token that its issuer marks as an access token, or that was issued for scopes. */
export function isMarkedAsAccessToken(header: JWTHeaderParameters, claims: JWTPayload): boolean {
  const isForScopes = ['scope', 'scp', 'client_id'].some((name) => name in claims);
  return isAccessToken(header, claims) && (isMarked(header, claims) || isForScopes);
}

function isMarked({ typ }: JWTHeaderParameters, claims: JWTPayload): boolean {
  const marks = [
    [typ, rfcTypes],
    [claims['typ'], [...claimTypes, ...rfcTypes]],
    [claims['token_use'], ['access']],
  ] as const;
  return marks.some(([mark, accepted]) => mark !== undefined && isOneOf(mark, accepted));
}

/** The client that the token was issued to, by each name under which it has one. */
export function clientsIn(claims: JWTPayload): unknown[] {
  return clientClaims.filter((name) => claims[name] !== undefined).map((name) => claims[name]);
}

/** An empty list accepts all. */
export interface Restrictions {
  readonly audiences: readonly OfIssuer[];
  readonly clientIds: readonly OfIssuer[];
}

/**
 * Why a token is not for this service; null if it is. Its audience and the client it was issued to (all of
 * its claims about it) must be among those configured for its issuer. An unmarked token whose only
 * audience is the client itself is an identity token.
 */
export function mismatchOf(
  header: JWTHeaderParameters,
  claims: JWTPayload,
  { audiences, clientIds }: Restrictions,
): 'wrong_audience' | 'wrong_client' | 'not_an_access_token' | null {
  const ofIssuer = (entries: readonly OfIssuer[]): string[] =>
    entries.flatMap(({ issuer = claims.iss, value }) => (issuer === claims.iss ? [value] : []));
  const [accepted, clients] = [ofIssuer(audiences), ofIssuer(clientIds)];
  const isRestricted = audiences.length + clientIds.length > 0;
  if (isRestricted && accepted.length + clients.length === 0) return 'wrong_audience';
  const given = [claims.aud ?? []].flat();
  if (accepted.length > 0 && !given.some((one) => accepted.includes(one))) return 'wrong_audience';
  if (clients.length === 0) return null;
  const named = clientsIn(claims);
  if (named.length === 0 || !named.every((client) => clients.includes(client as string))) return 'wrong_client';
  const isItself = accepted.length === 0 && given.length > 0 && given.every((one) => clients.includes(one));
  return isItself && !isMarkedAsAccessToken(header, claims) ? 'not_an_access_token' : null;
}

/** Also true if absent, because most issuers do not mark their access tokens. */
function isOneOf(value: unknown, accepted: readonly string[]): boolean {
  return value === undefined || (typeof value === 'string' && accepted.includes(value.toLowerCase()));
}
