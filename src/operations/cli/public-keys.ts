import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { VerifyingKey } from '../../platform/config/signing-keys.js';
import { CliFailure } from './world.js';

/** The keys in a file: PEM, or a JSON Web Key Set. Throws CliFailure. */
export function publicKeysIn(path: string): VerifyingKey[] {
  const text = textOf(path).trim();
  try {
    if (!text.startsWith('{')) return [VerifyingKey.read(text)];
    const { keys } = JSON.parse(text) as { readonly keys: readonly JsonWebKey[] };
    return keys.map((key) => new VerifyingKey(createPublicKey({ key, format: 'jwk' })));
  } catch {
    throw new CliFailure('The file of --public-key is not an Ed25519 public key.', 'invalid_file');
  }
}

/** Throws CliFailure. */
export function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new CliFailure('A file cannot be read.', 'invalid_file');
  }
}
