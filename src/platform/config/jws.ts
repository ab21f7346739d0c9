import type { SigningKey, VerifyingKey } from './signing-keys.js';

/*
 * Compact JSON Web Signatures (RFC 7515, with EdDSA from RFC 8037): one line of text. The type in the header keeps a
 * signature of one purpose from being taken for another.
 */

/** Why a text is not signed with one of the given keys. */
export type SignatureFault = 'unreadable' | 'unknown_key' | 'wrong_signature';

export type SignedContent = Readonly<Record<string, unknown>>;

const pattern = /^([\w-]{1,8000})\.([\w-]{1,8000})\.([\w-]{86})$/;

export function signed(type: string, content: object, key: SigningKey): string {
  const text = `${encoded({ alg: 'EdDSA', kid: key.id, typ: type })}.${encoded(content)}`;
  return `${text}.${key.sign(text)}`;
}

export function readSigned(type: string, text: string, keys: readonly VerifyingKey[]): SignedContent | SignatureFault {
  const [, header = '', payload = '', signature = ''] = pattern.exec(text.trim()) ?? [];
  const { alg, kid, typ } = decoded(header);
  if (alg !== 'EdDSA' || typ !== type) return 'unreadable';
  const key = keys.find(({ id }) => id === kid);
  if (!key) return 'unknown_key';
  if (!key.verifies(`${header}.${payload}`, signature)) return 'wrong_signature';
  return decoded(payload);
}

/** The signed content, without a check of the signature. Empty for another text. */
export function unverified(text: string): SignedContent {
  return decoded(pattern.exec(text.trim())?.[2] ?? '');
}

function encoded(content: object): string {
  return Buffer.from(JSON.stringify(content)).toString('base64url');
}

function decoded(part: string): SignedContent {
  try {
    const content: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof content === 'object' && content !== null ? (content as SignedContent) : {};
  } catch {
    return {};
  }
}
