/*
 * Which claims of a token say for certain who a person is. Claims may have a namespace (`https://example.com/email`),
 * as Auth0 requires of those that a customer adds; the part after the last slash counts.
 */

type Claims = Readonly<Record<string, unknown>>;

/** Claims that people may set to any text, even to another person's (OpenID Connect Core 5.7). */
const freeClaims: ReadonlySet<string> = new Set(
  `name given_name family_name middle_name nickname preferred_username display_name displayname profile picture website
   address gender birthdate zoneinfo locale`.split(/\s+/),
);
/** Claims that people may choose, or that providers change with a person's name or take from other systems. */
const unsteadyClaims: ReadonlySet<string> = new Set(
  'username user_name login upn unique_name mail emails email_address emailaddress'.split(' '),
);
/** Claims that count only if the issuer says so in another claim. */
const verifiedBy: Readonly<Record<string, string>> = { email: 'email_verified', phone_number: 'phone_number_verified' };

function lastPartOf(claim: string): string {
  return claim.slice(claim.lastIndexOf('/') + 1);
}

/** True for a claim that people may set to any text. */
export function isFree(claim: string): boolean {
  return freeClaims.has(lastPartOf(claim).toLowerCase());
}

/** True for a claim that never gives rights. */
export function isChosen(claim: string): boolean {
  return isFree(claim) || unsteadyClaims.has(lastPartOf(claim).toLowerCase());
}

/** Name of the claim that must be true for `claim` to count; null if it always counts. */
export function verifierOf(claim: string): string | null {
  const last = lastPartOf(claim);
  const verifier = Object.hasOwn(verifiedBy, last) ? verifiedBy[last] : undefined;
  return verifier === undefined ? null : `${claim.slice(0, claim.length - last.length)}${verifier}`;
}

/** Some providers write the claim as a text. */
export function isTrue(claim: unknown): boolean {
  return claim === true || claim === 'true';
}

/**
 * Claims of the identity token, completed from userinfo. An address and whether it is verified stay together: what one
 * of them says about its address says nothing about another one.
 */
export function completed(identity: Claims, userinfo: Claims): Claims {
  const claims: Record<string, unknown> = { ...userinfo, ...identity };
  for (const claim of [...Object.keys(claims)]) {
    const verifier = verifierOf(claim);
    if (verifier === null) continue;
    const isSame = !Object.hasOwn(identity, claim) || userinfo[claim] === identity[claim];
    const own = Object.hasOwn(identity, claim) ? identity[verifier] : undefined;
    claims[verifier] = own ?? (isSame ? userinfo[verifier] : undefined);
  }
  return claims;
}
