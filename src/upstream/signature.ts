import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/*
 * Upstream's signature (docs/upstream/webhooks.md#signature): HMAC-SHA256 over `id.timestamp.body` with the exact bytes
 * received, as base64, in a list of `version,signature` items. After a rotation a delivery carries one item for each
 * secret that is still valid, and for a while we hold both secrets: any match counts.
 */

export interface SignatureRules {
  /** Made by `createSecretKey`, the current one first. */
  readonly secrets: readonly KeyObject[];
  /** How far the time of the attempt may be from ours, in both directions. */
  readonly toleranceSeconds: number;
}

/**
 * malformed: the headers cannot be read · bad_signature: no secret made it · untimely: one did, too long ago or ahead
 * of our clock.
 */
export type SignatureCheck =
  | { readonly kind: 'ok'; readonly messageId: string; readonly sentAt: number }
  | { readonly kind: 'malformed' }
  | { readonly kind: 'bad_signature' }
  | { readonly kind: 'untimely' };

interface SignedHeaders {
  readonly id: string;
  readonly timestamp: string;
  readonly signature: string;
}

const acceptedVersion = 'v1,';
/** SHA-256 as base64. */
const signaturePattern = /^v1,[A-Za-z0-9+/]{43}=$/;
const idPattern = /^[\x21-\x7e]{1,255}$/;
const timestampPattern = /^\d{1,12}$/;

/** Who sent these bytes, and as which message. Never throws. `now` and `sentAt` are epoch milliseconds. */
export function checkSignature(
  headers: IncomingHttpHeaders,
  body: Buffer,
  rules: SignatureRules,
  now: number,
): SignatureCheck {
  const signed = readHeaders(headers);
  if (signed === null) return { kind: 'malformed' };
  if (!anyMatches(signed, body, rules.secrets)) return { kind: 'bad_signature' };
  if (isUntimely(signed, rules, now)) return { kind: 'untimely' };
  return { kind: 'ok', messageId: signed.id, sentAt: Number(signed.timestamp) * 1000 };
}

/**
 * What the headers alone say, before a body is read: whether some secret may have made the signature. `untimely` is
 * certain, but only the body tells whether it was signed.
 */
export function checkHead(
  headers: IncomingHttpHeaders,
  rules: Pick<SignatureRules, 'toleranceSeconds'>,
  now: number,
): 'plausible' | 'malformed' | 'bad_signature' | 'untimely' {
  const signed = readHeaders(headers);
  if (signed === null) return 'malformed';
  if (!signed.signature.split(' ').some((item) => signaturePattern.test(item))) return 'bad_signature';
  return isUntimely(signed, rules, now) ? 'untimely' : 'plausible';
}

function isUntimely(
  { timestamp }: SignedHeaders,
  { toleranceSeconds }: Pick<SignatureRules, 'toleranceSeconds'>,
  now: number,
): boolean {
  return Math.abs(Math.floor(now / 1000) - Number(timestamp)) > toleranceSeconds;
}

function readHeaders(headers: IncomingHttpHeaders): SignedHeaders | null {
  const id = either(headers['svix-id'], headers['webhook-id']);
  const timestamp = either(headers['svix-timestamp'], headers['webhook-timestamp']);
  const signature = either(headers['svix-signature'], headers['webhook-signature']);
  if (id === null || timestamp === null || signature === null) return null;
  return idPattern.test(id) && timestampPattern.test(timestamp) ? { id, timestamp, signature } : null;
}

/** Both names may be sent as long as they say the same. */
function either(branded: string | string[] | undefined, plain: string | string[] | undefined): string | null {
  if (branded !== undefined && plain !== undefined && branded !== plain) return null;
  const value = branded ?? plain;
  return typeof value === 'string' && value !== '' ? value : null;
}

function anyMatches(signed: SignedHeaders, body: Buffer, secrets: readonly KeyObject[]): boolean {
  const given = signed.signature
    .split(' ')
    .filter((item) => item.startsWith(acceptedVersion))
    .map((item) => Buffer.from(item.slice(acceptedVersion.length)));
  return given.length > 0 && secrets.some((secret) => matches(expected(secret, signed, body), given));
}

function expected(secret: KeyObject, { id, timestamp }: SignedHeaders, body: Buffer): Buffer {
  return Buffer.from(createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(body).digest('base64'));
}

/** `timingSafeEqual` throws on unequal lengths, and the length of a signature is no secret. */
function matches(wanted: Buffer, given: readonly Buffer[]): boolean {
  return given.some((item) => item.length === wanted.length && timingSafeEqual(item, wanted));
}
