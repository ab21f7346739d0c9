import { createPublicKey, type JsonWebKey } from 'node:crypto';
import type { KeySetSource } from '../../platform/config/config.js';
import { webAddress } from '../../platform/config/parsers.js';

const MAX_BYTES = 262_144;
const MAX_KEYS = 100;
/** RFC 7518 section 3.3. */
const MIN_RSA_BITS = 2_048;

const algorithms: Readonly<Record<string, string>> = { rsa: 'RS256', ec: 'ES256', ed25519: 'EdDSA' };

/** The first address to read: the key set, or the issuer's discovery document (OpenID Connect Discovery 1.0). */
export function addressOf(source: KeySetSource): URL {
  if ('url' in source) return new URL(source.url);
  return new URL(`${source.issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`);
}

/** Reads the address of the key set from the discovery document. Throws if the document belongs to another issuer. */
export async function discovered(issuer: string, url: string, options: RequestInit): Promise<string> {
  const document = JSON.parse(await textOf(url, options)) as { issuer?: unknown; jwks_uri?: unknown } | null;
  if (document?.issuer !== issuer) throw new TypeError('The discovery document is of another issuer.');
  if (typeof document.jwks_uri !== 'string') throw new TypeError('The discovery document has no jwks_uri.');
  return webAddress(document.jwks_uri);
}

/**
 * Returns the key set without entries that cannot verify a signature. Limits its size and number of keys. Throws if no
 * key is left. The timeout of the request includes the body.
 */
export async function keySetResponse(url: string, options: RequestInit): Promise<Response> {
  const text = await textOf(url, options);
  const keys = (JSON.parse(text) as { keys?: unknown } | null)?.keys;
  if (!Array.isArray(keys) || keys.length > MAX_KEYS) throw new TypeError('The response is not a key set.');
  const usable = keys.filter(isUsable);
  if (usable.length === 0) throw new TypeError('The key set has no usable signature key.');
  return Response.json({ keys: usable });
}

/** True if this public key verifies one of our algorithms and is not published for another purpose. */
function isUsable(jwk: unknown): boolean {
  if (typeof jwk !== 'object' || jwk === null || 'd' in jwk) return false;
  const { use = 'sig', key_ops: operations = ['verify'], alg } = jwk as JsonWebKey;
  if (use !== 'sig' || !Array.isArray(operations) || !operations.includes('verify')) return false;
  const algorithm = algorithmOf(jwk as JsonWebKey);
  return algorithm !== undefined && (alg === undefined || alg === algorithm);
}

function algorithmOf(jwk: JsonWebKey): string | undefined {
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPublicKey({ key: jwk, format: 'jwk' });
    const { modulusLength = MIN_RSA_BITS, namedCurve = 'prime256v1' } = asymmetricKeyDetails ?? {};
    const isAccepted = modulusLength >= MIN_RSA_BITS && namedCurve === 'prime256v1';
    return isAccepted ? algorithms[asymmetricKeyType ?? ''] : undefined;
  } catch {
    return undefined;
  }
}

async function textOf(url: string, options: RequestInit): Promise<string> {
  const response = await fetch(url, options);
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new TypeError('The response is not a 200.');
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    // Leaving the loop cancels the request.
    if (bytes > MAX_BYTES) throw new RangeError('The response is too long.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
