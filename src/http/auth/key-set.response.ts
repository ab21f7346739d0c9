import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { responseText } from './discovery.js';

const MAX_KEYS = 500;
/** RFC 7518 section 3.3. */
const MIN_RSA_BITS = 2_048;

const algorithms: Readonly<Record<string, readonly string[]>> = {
  rsa: ['RS256'],
  ec: ['ES256'],
  ed25519: ['EdDSA', 'Ed25519'],
};

/**
 * Returns the key set without entries that cannot verify a signature. Limits its size and number of keys. Throws if no
 * key is left. The timeout of the request includes the body.
 */
export async function keySetResponse(url: string, options: RequestInit): Promise<Response> {
  const text = await responseText(url, options);
  const keys = (JSON.parse(text) as { keys?: unknown } | null)?.keys;
  if (!Array.isArray(keys) || keys.length > MAX_KEYS) throw new TypeError('The response is not a key set.');
  const usable = keys.filter(isUsable);
  if (usable.length === 0) throw new TypeError('The key set has no usable signature key (RS256, ES256 or EdDSA).');
  return Response.json({ keys: usable });
}

/** True if this public key verifies one of our algorithms and is not published for another purpose. */
function isUsable(jwk: unknown): boolean {
  if (typeof jwk !== 'object' || jwk === null || 'd' in jwk) return false;
  const { use = 'sig', key_ops: operations = ['verify'], alg } = jwk as JsonWebKey;
  if (use !== 'sig' || !Array.isArray(operations) || !operations.includes('verify')) return false;
  const possible = algorithmsOf(jwk as JsonWebKey);
  return possible.length > 0 && (alg === undefined || possible.some((one) => one === alg));
}

function algorithmsOf(jwk: JsonWebKey): readonly string[] {
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPublicKey({ key: jwk, format: 'jwk' });
    const { modulusLength = MIN_RSA_BITS, namedCurve = 'prime256v1' } = asymmetricKeyDetails ?? {};
    const isAccepted = modulusLength >= MIN_RSA_BITS && namedCurve === 'prime256v1';
    return (isAccepted && algorithms[asymmetricKeyType ?? '']) || [];
  } catch {
    return [];
  }
}
