import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** Opaque cursors: a position bound to the query it came from. Tampered or foreign ones decode to null. */
export class Cursors {
  constructor(private readonly seed: string) {}

  encode(query: readonly unknown[], position: unknown): string {
    const payload = Buffer.from(JSON.stringify([this.fingerprint(query), position])).toString('base64url');
    return `${payload}.${this.seal(payload)}`;
  }

  decode(query: readonly unknown[], cursor: string): unknown {
    const [payload = '', seal = ''] = cursor.split('.');
    const expected = Buffer.from(this.seal(payload));
    const given = Buffer.from(seal);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
    const [fingerprint, position] = JSON.parse(Buffer.from(payload, 'base64url').toString()) as [string, unknown];
    return fingerprint === this.fingerprint(query) ? position : null;
  }

  private fingerprint(query: readonly unknown[]): string {
    return createHash('sha256').update(JSON.stringify(query)).digest('base64url').slice(0, 12);
  }

  private seal(payload: string): string {
    return createHmac('sha256', this.seed).update(payload).digest('base64url').slice(0, 16);
  }
}
