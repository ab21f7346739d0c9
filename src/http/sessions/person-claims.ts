import { hash } from 'node:crypto';
import type { PersonRole } from '../../platform/config/admin-key.js';
import { type RankedRole, rankedRoles } from '../../platform/config/admin-roles.js';

type Claims = Readonly<Record<string, unknown>>;

const namePattern = /^[A-Za-z0-9._%+-]{1,64}$/;
const addressPattern = /^[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9.-]{1,128}$/;

/** The highest role that the mappings give a person; a claim may contain one value or a list. Null if there is none. */
export function roleOf(claims: Claims, roles: readonly PersonRole[]): RankedRole | null {
  const given = roles.filter(({ claim, value }) => {
    const held = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
    return Array.isArray(held) ? held.includes(value) : held === value;
  });
  return rankedRoles.findLast((role) => given.some((one) => one.role === role)) ?? null;
}

/**
 * The person's name for the access log: a verified address, or a name at the issuer's host. It cannot equal the name of
 * a key, which contains no @. People may choose a `preferred_username`, even another person's (OpenID Connect Core
 * 5.7), so part of the digest is appended.
 */
export function nameOf(claims: Claims, issuer: string): string {
  const { email, email_verified, preferred_username: chosen, sub } = claims;
  if (typeof email === 'string' && email_verified === true && addressPattern.test(email)) return email.toLowerCase();
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
