import type { JWTHeaderParameters, JWTPayload } from 'jose';

const headerTypes = ['jwt', 'at+jwt', 'application/at+jwt'];

/**
 * False for a token that its issuer marks as something else, such as an identity, refresh or logout token: by the
 * header `typ` (RFC 9068, RFC 8725 section 3.11), the claim `token_use` (Amazon Cognito) or the claim `typ` (Keycloak).
 */
export function isAccessToken({ typ }: JWTHeaderParameters, claims: JWTPayload): boolean {
  return (
    isOneOf(typ, headerTypes) &&
    isOneOf(claims['token_use'], ['access']) &&
    isOneOf(claims['typ'], ['bearer', 'access', ...headerTypes])
  );
}

/** True if the client the token was issued to (`azp`, `client_id`; both if both are present) is one of `clientIds`. */
export function isForClient({ azp, client_id }: JWTPayload, clientIds: readonly string[]): boolean {
  if (clientIds.length === 0) return true;
  const named = [azp, client_id].filter((client) => client !== undefined);
  return named.length > 0 && named.every((client) => clientIds.includes(client as string));
}

/** Also true if absent, because most issuers do not mark their access tokens. */
function isOneOf(value: unknown, accepted: readonly string[]): boolean {
  return value === undefined || (typeof value === 'string' && accepted.includes(value.toLowerCase()));
}
