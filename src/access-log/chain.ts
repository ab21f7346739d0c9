import { createHash } from 'node:crypto';
import type { AccessEntryEntity } from './access-log.entity.js';

/** What is chained: an entry without its place in the chain. */
export type Entry = Omit<AccessEntryEntity, 'seq' | 'previous_hash' | 'hash'>;

/** The end of a chain that others go on from. */
export interface Head {
  readonly last_seq: number;
  readonly last_hash: string;
}

/** Names the form, so that another one could be told apart. */
const form = 'pulsekeep.access-log.1';

/** SHA-256, in hex, over every column but the hash itself: a JSON list in a fixed order, which is unambiguous. */
export function hashOf(entry: Omit<AccessEntryEntity, 'hash'>): string {
  const { seq, at, actor, role, action, account_ref, target, address, request_id, status, previous_hash } = entry;
  const columns = [seq, at, actor, role, action, account_ref, target, address, request_id, status, previous_hash];
  return createHash('sha256')
    .update(JSON.stringify([form, ...columns]))
    .digest('hex');
}

/** The entries with their place after `head`. */
export function chained(entries: readonly Entry[], { last_seq, last_hash }: Head): AccessEntryEntity[] {
  let previous = last_hash;
  return entries.map((entry, index) => {
    const placed = { ...entry, seq: last_seq + 1 + index, previous_hash: previous };
    previous = hashOf(placed);
    return { ...placed, hash: previous };
  });
}
