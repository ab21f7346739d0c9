import { createHash, createHmac } from 'node:crypto';

/*
 * A caller's idempotency key is never stored, only its digest. The fingerprint of a body is keyed with that key and
 * salted with the placement's own id, so that who holds the table alone can try no guess at a body: names, dates of
 * birth and addresses are few enough to be tried all. That holds as far as the key itself cannot be guessed.
 */

export function digestOf(idempotencyKey: string): string {
  return createHash('sha256').update(idempotencyKey).digest('hex');
}

/** The same for the same JSON, whatever the order of its fields. */
export function fingerprintOf(body: unknown, secret: { idempotencyKey: string; placementId: string }): string {
  const key = createHmac('sha256', secret.idempotencyKey).update(secret.placementId).digest();
  return createHmac('sha256', key).update(canonical(body)).digest('hex');
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, inner]) => `${JSON.stringify(name)}:${canonical(inner)}`).join(',')}}`;
}
