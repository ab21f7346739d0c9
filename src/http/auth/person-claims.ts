import { hash } from 'node:crypto';
import type { PersonRole } from '../../platform/config/admin-key.js';
import { rankedRoles } from '../../platform/config/admin-roles.js';
import { isChosen, isTrue, valueOfClaim, verifierOf } from '../../platform/config/claim-rules.js';

type Claims = Readonly<Record<string, unknown>>;

const namePattern = /^[A-Za-z0-9._%+-]{1,64}$/;
const addressPattern = /^[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9.-]{1,128}$/;

/** Entries that can never give a role. */
export function withoutEffect(roles: readonly PersonRole[]): PersonRole[] {
  return roles.filter(({ claim }) => isChosen(claim));
}

/** The entry that gives a person the highest role; null if none does. */
export function grantOf(claims: Claims, roles: readonly PersonRole[]): PersonRole | null {
  const given = roles.filter((entry) => !isChosen(entry.claim) && holds(claims, entry));
  const role = rankedRoles.findLast((ranked) => given.some((one) => one.role === ranked));
  return given.find((one) => one.role === role) ?? null;
}

/** A claim may contain one value, a list, or an object whose keys are the values (Zitadel's roles). */
function holds(claims: Claims, { claim, value }: PersonRole): boolean {
  const held = valueOfClaim(claims, claim);
  const verifier = verifierOf(claim);
  if (verifier !== null && !isTrue(claims[verifier])) return false;
  if (Array.isArray(held)) return held.some((one) => isValue(one, value));
  if (typeof held !== 'object' || held === null) return isValue(held, value);
  const found = Object.hasOwn(held, value) ? (held as Claims)[value] : undefined;
  return typeof found === 'object' && found !== null;
}

/** Groups may have numbers for names. */
function isValue(held: unknown, value: string): boolean {
  return held === value || (typeof held === 'number' && String(held) === value);
}

/**
 * The person's name for the access log: a verified address, or a name at the issuer's host. It cannot equal the name of
 * a key, which contains no @. People may choose a `preferred_username`, so part of the digest is appended.
 */
export function nameOf(claims: Claims, issuer: string): string {
  const { email, email_verified, preferred_username: chosen, sub } = claims;
  if (typeof email === 'string' && isTrue(email_verified) && addressPattern.test(email)) return email.toLowerCase();
  const digest = digestOf(issuer, sub);
  const { hostname } = new URL(issuer);
  if (isName(chosen)) return `${chosen}+${digest.slice(0, 8)}@${hostname}`;
  return `${isName(sub) ? sub : digest.slice(0, 16)}@${hostname}`;
}

function isName(claim: unknown): claim is string {
  return typeof claim === 'string' && namePattern.test(claim);
}

/** Digest of the claims that a person's session is bound to. */
export function digestOf(issuer: string, subject: unknown): string {
  return hash('sha256', JSON.stringify([issuer, subject]));
}

/** Digest of the issuer and the entry of OIDC_ROLES that gave a session its role. */
export function grantDigestOf(issuer: string | undefined, { claim, value, role }: PersonRole): string {
  return hash('sha256', JSON.stringify([issuer, claim, value, role]));
}
