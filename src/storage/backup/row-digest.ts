import { hash } from 'node:crypto';
import type { SqlValue } from '../database/dialect.js';

const WORD_BITS = 64;
const WORD_DIGITS = 16;

/**
 * Digest of the rows of a table: the sum of the first 128 bits of each row's SHA-256, in two words. It does not depend
 * on the order of rows, because the two databases sort text differently.
 */
export class RowDigest {
  private high: bigint;
  private low: bigint;

  /** Continues an earlier digest, given as text. */
  constructor(text = '0'.repeat(2 * WORD_DIGITS)) {
    this.high = BigInt(`0x${text.slice(0, WORD_DIGITS)}`);
    this.low = BigInt(`0x${text.slice(WORD_DIGITS)}`);
  }

  add(row: readonly SqlValue[]): void {
    const values = row.map((value) => (Buffer.isBuffer(value) ? value.toString('base64') : value));
    const digest = hash('sha256', JSON.stringify(values), 'buffer');
    this.high = BigInt.asUintN(WORD_BITS, this.high + digest.readBigUInt64BE(0));
    this.low = BigInt.asUintN(WORD_BITS, this.low + digest.readBigUInt64BE(WORD_BITS / 8));
  }

  /** 32 hexadecimal digits. */
  toString(): string {
    return [this.high, this.low].map((word) => word.toString(16).padStart(WORD_DIGITS, '0')).join('');
  }
}
