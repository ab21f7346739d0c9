import { createHash } from 'node:crypto';
import type { SigningKey } from '../config/signing-keys.js';
import { newId } from '../platform/ids.js';
import type { AccessChainEntity, AccessEntryEntity } from './access-log.entity.js';

/** An entry in its place. */
export type ChainedEntry = Readonly<AccessEntryEntity>;

/** What is chained: an entry without its place in the chain. */
export type Entry = Omit<ChainedEntry, 'seq' | 'previous_hash' | 'hash'>;

/** The two ends of the chain. */
export type ChainEnds = Readonly<AccessChainEntity>;

/** The end of a chain that others go on from. */
export type Head = Pick<ChainEnds, 'last_seq' | 'last_hash'>;

/** `previous_hash` of the first entry ever. */
export const noHash = '0'.repeat(64);

/**
 * Names the form, so that one can be told from the other: the second is that of entries with a reason or a number of
 * repetitions, which the first versions had not.
 */
const forms = ['pulsekeep.access-log.1', 'pulsekeep.access-log.2'] as const;

/** SHA-256, in hex, over every column but the hash itself: a JSON list in a fixed order, which is unambiguous. */
export function hashOf(entry: Omit<ChainedEntry, 'hash'>): string {
  const { seq, at, actor, role, action, account_ref, target, address, request_id, status, previous_hash } = entry;
  const columns = [seq, at, actor, role, action, account_ref, target, address, request_id, status, previous_hash];
  const { reason, repeats } = entry;
  const hashed = reason === null && repeats === null ? [forms[0], ...columns] : [forms[1], ...columns, reason, repeats];
  return createHash('sha256').update(JSON.stringify(hashed)).digest('hex');
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

/** Whether each entry fits its own hash and follows from the one before, the first of them from `previous`. */
export function isChain(entries: readonly ChainedEntry[], previous: string): boolean {
  return entries.every(
    (entry, index) => entry.previous_hash === (entries[index - 1]?.hash ?? previous) && hashOf(entry) === entry.hash,
  );
}

/*
 * What the log says of itself. No request can make such an entry: a request's action begins with its method, and no
 * key may be named `system`.
 */

const actor = 'system';
const removalAction = 'remove old entries of the access log';
const restartAction = 'begin the lost ends of the access log anew';

/** What went from the front by age: `count` entries, of which the last one's hash stays as the anchor. */
export interface Removed {
  readonly from: number;
  readonly to: number;
  readonly hash: string;
}

/** What an entry about a removal says. Those of earlier versions only say up to where entries were removed. */
export interface Removal {
  readonly from: number | null;
  readonly to: number;
  readonly count: number | null;
  readonly hash: string | null;
  readonly signature: { readonly keyId: string; readonly value: string; readonly over: string } | null;
}

export function removalEntry({ from, to, hash }: Removed, at: number, key: SigningKey | undefined): Entry {
  const stated = `from:${from} to:${to} count:${to - from + 1} hash:${hash}`;
  const signature = key ? ` key:${key.id} signature:${key.sign(signedText(at, stated))}` : '';
  return ownEntry(at, removalAction, stated + signature);
}

/** After the row with the two ends was lost: the chain goes on after the last entry there is. */
export function restartEntry(after: number, at: number): Entry {
  return ownEntry(at, restartAction, `after:${after}`);
}

export function isRestart(entry: Pick<Entry, 'actor' | 'action'>): boolean {
  return entry.actor === actor && entry.action === restartAction;
}

const removalPattern =
  /^(from:(\d{1,15}) to:(\d{1,15}) count:(\d{1,15}) hash:([0-9a-f]{64}))(?: key:([\w-]{43}) signature:([\w-]{86}))?$/;
const earlierPattern = /^until:(\d{1,15})$/;

/** Null for an entry about something else; `unreadable` for one about a removal that says nothing. */
export function removalOf(entry: Pick<Entry, 'actor' | 'action' | 'target' | 'at'>): Removal | 'unreadable' | null {
  if (entry.actor !== actor || entry.action !== removalAction) return null;
  const text = entry.target ?? '';
  const earlier = earlierPattern.exec(text);
  if (earlier) return { from: null, to: Number(earlier[1]), count: null, hash: null, signature: null };
  const [, stated, from, to, count, hash, keyId, value] = removalPattern.exec(text) ?? [];
  if (stated === undefined || hash === undefined) return 'unreadable';
  const signature = keyId && value ? { keyId, value, over: signedText(entry.at, stated) } : null;
  return { from: Number(from), to: Number(to), count: Number(count), hash, signature };
}

function signedText(at: number, stated: string): string {
  return JSON.stringify(['pulsekeep.access-log.removal.1', at, stated]);
}

function ownEntry(at: number, action: string, target: string): Entry {
  return {
    at,
    actor,
    role: null,
    action,
    account_ref: null,
    target,
    address: null,
    request_id: newId(),
    status: 200,
    reason: null,
    repeats: null,
  };
}
