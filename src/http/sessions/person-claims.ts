import { createHash } from 'node:crypto';
import { type RankedRole, rankedRoles } from '../../platform/config/admin-roles.js';
import type { PersonRole } from '../../platform/config/config.js';

type Claims = Readonly<Record<string, unknown>>;

const namePattern = /^[A-Za-z0-9._%+-]{1,64}$/;
const addressPattern = /^[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9.-]{1,128}$/;

/** The highest role that a mapping gives a person by a claim, which holds one value or a list; null for none. */
export function roleOf(claims: Claims, roles: readonly PersonRole[]): RankedRole | null {
  const given = roles.filter(({ claim, value }) => {
    const held = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
    return Array.isArray(held) ? held.includes(value) : held === value;
  });
  return rankedRoles.findLast((role) => given.some((one) => one.role === role)) ?? null;
}

/**
 * The person's name for the access log: a verified address, or a name at the issuer's host. No key is called like that,
 * because names of keys have no @.
 */
export function nameOf(claims: Claims, issuer: string): string {
  const { email, email_verified, preferred_username, sub } = claims;
  if (typeof email === 'string' && email_verified === true && addressPattern.test(email)) return email.toLowerCase();
  const { hostname } = new URL(issuer);
  const name = [preferred_username, sub].find((one) => typeof one === 'string' && namePattern.test(one));
  return `${typeof name === 'string' ? name : digestOf(issuer, sub).slice(0, 16)}@${hostname}`;
}

/** Claims that a person's session is bound to. */
export function digestOf(issuer: string, subject: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('hex');
}
