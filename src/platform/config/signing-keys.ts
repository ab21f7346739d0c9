import { createPrivateKey, createPublicKey, hash, type KeyObject, sign, verify } from 'node:crypto';

/** An Ed25519 public key; `id` is its RFC 7638 thumbprint. */
export class VerifyingKey {
  readonly id: string;

  /** Throws `TypeError` for another kind of key. */
  constructor(readonly publicKey: KeyObject) {
    if (publicKey.asymmetricKeyType !== 'ed25519') throw new TypeError('not an Ed25519 key');
    this.id = hash('sha256', JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x: this.x }), 'base64url');
  }

  /** The 32 bytes of the key in base64url, as in a JSON Web Key. */
  get x(): string {
    return String(this.publicKey.export({ format: 'jwk' }).x);
  }

  get pem(): string {
    return this.publicKey.export({ format: 'pem', type: 'spki' }).toString();
  }

  /** True if `signature` (base64url) is this key's signature of the bytes of `text`. */
  verifies(text: string, signature: string): boolean {
    return verify(null, Buffer.from(text), this.publicKey, Buffer.from(signature, 'base64url'));
  }

  /** Reads PEM, or the base64 of DER (SPKI). Throws for anything else. */
  static read(text: string): VerifyingKey {
    const isPem = text.includes('-----BEGIN');
    return new VerifyingKey(
      isPem ? createPublicKey(text) : createPublicKey({ key: derOf(text), format: 'der', type: 'spki' }),
    );
  }
}

/** A key that can also sign. The private part has no accessible name. */
export class SigningKey extends VerifyingKey {
  readonly #privateKey: KeyObject;

  constructor(privateKey: KeyObject) {
    super(createPublicKey(privateKey));
    this.#privateKey = privateKey;
  }

  /** Returns the signature in base64url. */
  sign(text: string): string {
    return sign(null, Buffer.from(text), this.#privateKey).toString('base64url');
  }

  /** Reads PEM, or the base64 of DER (PKCS #8). Throws for anything else. */
  static override read(text: string): SigningKey {
    const isPem = text.includes('-----BEGIN');
    return new SigningKey(
      isPem ? createPrivateKey(text) : createPrivateKey({ key: derOf(text), format: 'der', type: 'pkcs8' }),
    );
  }
}

function derOf(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64').replace(/=+$/, '') !== text.replace(/=+$/, '')) throw new TypeError('not base64');
  return bytes;
}
