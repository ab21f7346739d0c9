import { createHash } from 'node:crypto';
import type { SigningKey } from '../../platform/config/signing-keys.js';
import { newId } from '../../platform/platform/ids.js';
import type { AccessChainEntity, AccessEntryEntity } from './access-log.entity.js';

/** An entry with its place in the chain. */
export type ChainedEntry = Readonly<AccessEntryEntity>;

/** An entry without its place in the chain. */
export type Entry = Omit<ChainedEntry, 'seq' | 'previous_hash' | 'hash'>;

/** The data that was read: resource and time range. */
export type Shown = Pick<Entry, 'resource' | 'window_start' | 'window_end'>;
export const nothingShown: Shown = { resource: null, window_start: null, window_end: null };

/** The two ends of the chain. */
export type ChainEnds = Readonly<AccessChainEntity>;

/** The end of a chain that new entries follow. */
export type Head = Pick<ChainEnds, 'last_seq' | 'last_hash'>;

/** `previous_hash` of the first entry ever. */
export const noHash = '0'.repeat(64);

/** Identifies the hashed content and the method, so that a later format cannot be confused with this one. */
const form = 'pulsekeep.access-log.1';

/** SHA-256, in hex, of all columns except the hash, as a JSON array in fixed order, which is unambiguous. */
export function hashOf(entry: Omit<ChainedEntry, 'hash'>): string {
  const { seq, at, actor, role, action, account_ref, target, resource, window_start, window_end } = entry;
  const { address, request_id, status, reason, previous_hash } = entry;
  const what = [seq, at, actor, role, action, account_ref, target, resource, window_start, window_end];
  return createHash('sha256')
    .update(JSON.stringify([form, ...what, address, request_id, status, reason, previous_hash]))
    .digest('hex');
}

/** The entries with their places in the chain after `head`. */
export function chained(entries: readonly Entry[], { last_seq, last_hash }: Head): AccessEntryEntity[] {
  let previous = last_hash;
  return entries.map((entry, index) => {
    const placed = { ...entry, seq: last_seq + 1 + index, previous_hash: previous };
    previous = hashOf(placed);
    return { ...placed, hash: previous };
  });
}

/** True if each entry matches its own hash and follows the previous one; the first follows `previous`. */
export function isChain(entries: readonly ChainedEntry[], previous: string): boolean {
  return entries.every(
    (entry, index) => entry.previous_hash === (entries[index - 1]?.hash ?? previous) && hashOf(entry) === entry.hash,
  );
}

/*
 * Entries about the log itself. No request can produce one, because the action of a request begins with its method and
 * no key may be named `system`.
 */

const actor = 'system';
const removalAction = 'remove old entries of the access log';
const restartAction = 'begin the lost ends of the access log anew';

/** Entries that retention removed from the front. The `hash` of the last one stays as the anchor. */
export interface Removed {
  readonly from: number;
  readonly to: number;
  readonly hash: string;
}

/** Content of an entry about a removal. */
export interface Removal extends Removed {
  readonly count: number;
  readonly signature: { readonly keyId: string; readonly value: string; readonly over: string } | null;
}

export function removalEntry({ from, to, hash }: Removed, at: number, key: SigningKey | undefined): Entry {
  const stated = `from:${from} to:${to} count:${to - from + 1} hash:${hash}`;
  const signature = key ? ` key:${key.id} signature:${key.sign(signedText(at, stated))}` : '';
  return ownEntry(at, removalAction, stated + signature);
}

/** Records that the row with the two ends was lost and that the chain continues after the last entry found. */
export function restartEntry(after: number, at: number): Entry {
  return ownEntry(at, restartAction, `after:${after}`);
}

export function isRestart(entry: Pick<Entry, 'actor' | 'action'>): boolean {
  return entry.actor === actor && entry.action === restartAction;
}

const removalPattern =
  /^(from:(\d{1,15}) to:(\d{1,15}) count:(\d{1,15}) hash:([0-9a-f]{64}))(?: key:([\w-]{43}) signature:([\w-]{86}))?$/;

/** Null for an entry about something else; `unreadable` for a removal whose text does not parse. */
export function removalOf(entry: Pick<Entry, 'actor' | 'action' | 'target' | 'at'>): Removal | 'unreadable' | null {
  if (entry.actor !== actor || entry.action !== removalAction) return null;
  const [, stated, from, to, count, hash, keyId, value] = removalPattern.exec(entry.target ?? '') ?? [];
  if (stated === undefined || hash === undefined) return 'unreadable';
  const signature = keyId && value ? { keyId, value, over: signedText(entry.at, stated) } : null;
  return { from: Number(from), to: Number(to), count: Number(count), hash, signature };
}

function signedText(at: number, stated: string): string {
  return JSON.stringify(['pulsekeep.access-log.removal.1', at, stated]);
}

function ownEntry(at: number, action: string, target: string): Entry {
  const about = { role: null, account_ref: null, address: null, reason: null, ...nothingShown };
  return { at, actor, action, target, request_id: newId(), status: 200, ...about };
}
