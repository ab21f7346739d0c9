import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/*
 * Upstream's signature (docs/upstream/webhooks.md#signature): HMAC-SHA256 over `id.timestamp.body` with the exact bytes
 * received, as base64, in a list of `version,signature` items. After a rotation, a delivery carries one item per secret
 * that is still valid, and we accept both secrets for a while. One match is enough.
 */

export interface SignatureRules {
  /** From `createSecretKey`; the current one first. */
  readonly secrets: readonly KeyObject[];
  /** Maximum difference between the delivery's timestamp and our clock, in both directions. */
  readonly toleranceSeconds: number;
}

/**
 * malformed: the headers cannot be read · bad_signature: no configured secret made the signature · untimely: the
 * signature is valid, but its timestamp is too far from our clock.
 */
export type SignatureCheck =
  | { readonly kind: 'ok'; readonly messageId: string; readonly sentAt: number; readonly secret: KeyObject }
  | { readonly kind: 'malformed' }
  | { readonly kind: 'bad_signature' }
  | { readonly kind: 'untimely' };

/** Parsed headers of a delivery. */
export interface SignedHead {
  readonly id: string;
  /** Time of the delivery in integer epoch seconds; part of the signed text. */
  readonly timestamp: string;
  /** Candidate signatures, as base64. */
  readonly signatures: readonly Buffer[];
}

const acceptedVersion = 'v1,';
/** SHA-256 as base64. */
const signaturePattern = /^v1,[A-Za-z0-9+/]{43}=$/;
const idPattern = /^[\x21-\x7e]{1,255}$/;
const timestampPattern = /^\d{1,12}$/;

/** Null if the headers cannot be read. */
export function readHead(headers: IncomingHttpHeaders): SignedHead | null {
  const id = either(headers['svix-id'], headers['webhook-id']);
  const timestamp = either(headers['svix-timestamp'], headers['webhook-timestamp']);
  const signature = either(headers['svix-signature'], headers['webhook-signature']);
  if (id === null || timestamp === null || signature === null) return null;
  if (!idPattern.test(id) || !timestampPattern.test(timestamp)) return null;
  const signatures: Buffer[] = [];
  for (const item of signature.split(' ')) {
    if (signaturePattern.test(item)) signatures.push(Buffer.from(item.slice(acceptedVersion.length)));
  }
  return { id, timestamp, signatures };
}

/** Verifies that upstream signed the body and the message id. Never throws. `now` and `sentAt`: epoch milliseconds. */
export function checkSignature(
  head: SignedHead | null,
  body: Buffer,
  rules: SignatureRules,
  now: number,
): SignatureCheck {
  if (head === null) return { kind: 'malformed' };
  const secret = rules.secrets.find((each) => matches(expected(each, head, body), head.signatures));
  if (!secret) return { kind: 'bad_signature' };
  if (isUntimely(head, rules, now)) return { kind: 'untimely' };
  return { kind: 'ok', messageId: head.id, sentAt: Number(head.timestamp) * 1000, secret };
}

/**
 * Checks the headers before the body is read. `plausible`: a configured secret may have made the signature. For
 * `untimely` too, only the body shows whether the signature is valid.
 */
export function checkHead(
  head: SignedHead | null,
  rules: Pick<SignatureRules, 'toleranceSeconds'>,
  now: number,
): 'plausible' | 'malformed' | 'bad_signature' | 'untimely' {
  if (head === null) return 'malformed';
  if (head.signatures.length === 0) return 'bad_signature';
  return isUntimely(head, rules, now) ? 'untimely' : 'plausible';
}

function isUntimely(
  { timestamp }: SignedHead,
  { toleranceSeconds }: Pick<SignatureRules, 'toleranceSeconds'>,
  now: number,
): boolean {
  return Math.abs(Math.floor(now / 1000) - Number(timestamp)) > toleranceSeconds;
}

/** The value of two equivalent headers; null if they differ. */
function either(branded: string | string[] | undefined, plain: string | string[] | undefined): string | null {
  if (branded !== undefined && plain !== undefined && branded !== plain) return null;
  const value = branded ?? plain;
  return typeof value === 'string' && value !== '' ? value : null;
}

function expected(secret: KeyObject, { id, timestamp }: SignedHead, body: Buffer): Buffer {
  return Buffer.from(createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(body).digest('base64'));
}

/** `timingSafeEqual` throws on unequal lengths, and the length of a signature is not secret. */
function matches(wanted: Buffer, given: readonly Buffer[]): boolean {
  return given.some((item) => item.length === wanted.length && timingSafeEqual(item, wanted));
}
