/*
 * Which claims of a token say for certain who a person is. Claims may have a namespace (`https://example.com/email`),
 * as Auth0 requires of those that a customer adds; the part after the last slash counts. A claim inside another one has
 * a path with dots, as Keycloak's `realm_access.roles`.
 */

type Claims = Readonly<Record<string, unknown>>;

/** Claims that people may set to any text, even to another person's (OpenID Connect Core 5.7). */
const freeClaims: ReadonlySet<string> = new Set(
  `name given_name family_name middle_name nickname preferred_username display_name displayname profile picture website
   address gender birthdate zoneinfo locale user_metadata unsafe_metadata`.split(/\s+/),
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

/** Names from the outermost claim to the innermost one, without a namespace. */
function namesIn(claim: string): string[] {
  return lastPartOf(claim).toLowerCase().split('.');
}

/** True for a claim that people may set to any text. */
export function isFree(claim: string): boolean {
  return namesIn(claim).some((name) => freeClaims.has(name));
}

/** True for an address inside another claim: nothing says that it is verified. */
export function isUnverifiable(claim: string): boolean {
  const names = namesIn(claim);
  return names.length > 1 && names.some((name) => Object.hasOwn(verifiedBy, name));
}

/** True for a claim that never gives rights. */
export function isChosen(claim: string): boolean {
  return isFree(claim) || isUnverifiable(claim) || namesIn(claim).some((name) => unsteadyClaims.has(name));
}

/**
 * The value of a claim, which is either named so or inside others on a path with dots. A name on the path may contain
 * dots itself, as the ids of Keycloak's clients do (`resource_access.pulse.example.com.roles`).
 */
export function valueOfClaim(claims: Claims, claim: string): unknown {
  if (Object.hasOwn(claims, claim)) return claims[claim];
  const from = claim.lastIndexOf('/') + 1;
  for (let dot = claim.indexOf('.', from); dot >= 0; dot = claim.indexOf('.', dot + 1)) {
    const outer = ownValue(claims, claim.slice(0, dot));
    if (typeof outer !== 'object' || outer === null || Array.isArray(outer)) continue;
    const inner = valueOfClaim(outer as Claims, claim.slice(dot + 1));
    if (inner !== undefined) return inner;
  }
  return undefined;
}

function ownValue(claims: Claims, name: string): unknown {
  return Object.hasOwn(claims, name) ? claims[name] : undefined;
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
