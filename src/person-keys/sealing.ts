import { createCipheriv, createDecipheriv, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';

/*
 * AES-256-GCM. What is sealed is a random nonce, the bytes encrypted, and the tag that proves that nothing was changed.
 */

const algorithm = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Length of a sealed key. */
export const SEALED_KEY_BYTES = NONCE_BYTES + KEY_BYTES + TAG_BYTES;

export function newKey(): Buffer {
  return randomBytes(KEY_BYTES);
}

/** The key that a secret of the configuration stands for, in one key file. */
export function masterKeyOf(secret: KeyObject, fileId: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, fileId, 'pulsekeep.person-keys.1', KEY_BYTES));
}

export function seal(key: Buffer, plain: Buffer): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(algorithm, key, nonce);
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Throws where it was sealed with another key or was changed. */
export function unseal(key: Buffer, sealed: Buffer): Buffer {
  const [bodyEnd, nonce] = [sealed.length - TAG_BYTES, sealed.subarray(0, NONCE_BYTES)];
  const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(sealed.subarray(bodyEnd));
  return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, bodyEnd)), decipher.final()]);
}

/** As `seal`, for a text column. */
export function sealText(key: Buffer, plain: string): string {
  return seal(key, Buffer.from(plain, 'utf8')).toString('base64');
}

/** Throws as `unseal` does. */
export function unsealText(key: Buffer, sealed: string): string {
  return unseal(key, Buffer.from(sealed, 'base64')).toString('utf8');
}
