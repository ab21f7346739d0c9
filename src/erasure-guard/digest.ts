import { createHash } from 'node:crypto';

/** What is kept of the id of an erased upstream user: SHA-256 in hex, over the id in lower case. */
export function digestOf(userId: string): string {
  return createHash('sha256').update(userId.toLowerCase()).digest('hex');
}
