import { createHash } from 'node:crypto';
import type { SigningKey } from '../../platform/config/signing-keys.js';
import { newId } from '../../platform/platform/ids.js';
import type {
  AccessChainEntity,
  AccessEntryEntity,
  AccessWriterEntity,
  PendingEntryEntity,
} from './access-log.entity.js';

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
  return sha256([form, entry.seq, ...contentOf(entry), entry.previous_hash]);
}

function contentOf(entry: Entry): readonly unknown[] {
  const { at, actor, role, action, account_ref, target, resource, window_start, window_end } = entry;
  const { address, request_id, status, reason } = entry;
  const what = [at, actor, role, action, account_ref, target, resource, window_start, window_end];
  return [...what, address, request_id, status, reason];
}

function sha256(content: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
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
 * Until an entry is chained, only its mark proves it: the marks of a writer are a chain whose end the writer keeps in
 * memory. So someone who changes or removes a waiting entry cannot make its writer's next entry fit.
 */

/** A recorded entry that waits for its place in the chain. */
export type PendingEntry = Readonly<PendingEntryEntity>;

/** A writer of entries and its last mark, `noHash` before the first one. */
export type Writer = Readonly<Pick<AccessWriterEntity, 'writer' | 'mark'>>;

const markForm = 'pulsekeep.access-log.mark.1';

/** The entries with the marks of their writer. */
export function marked(entries: readonly Entry[], { writer, mark }: Writer): Omit<PendingEntry, 'id'>[] {
  let previous = mark;
  return entries.map((entry) => {
    previous = markOf(entry, previous);
    return { ...entry, writer, mark: previous };
  });
}

function markOf(entry: Entry, previous: string): string {
  return sha256([markForm, ...contentOf(entry), previous]);
}

/**
 * Waiting entries as entries of the chain, with an entry before each that does not follow the last one of its writer.
 * `marks`: the last mark of each writer; afterwards those of these entries.
 */
export function examined(waiting: readonly PendingEntry[], marks: Map<string, string>): Entry[] {
  return waiting.flatMap(({ id, writer, mark, ...entry }) => {
    const isNext = markOf(entry, marks.get(writer) ?? noHash) === mark;
    marks.set(writer, mark);
    return isNext ? [entry] : [lossEntry(writer, entry.at), entry];
  });
}

/*
 * Entries about the log itself. No request can produce one, because the action of a request begins with its method and
 * no key may be named `system`.
 */

const actor = 'system';
const removalAction = 'remove old entries of the access log';
const restartAction = 'begin the lost ends of the access log anew';
const lossAction = 'miss or doubt entries that waited for the chain';

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

/** Records that the next entry of the chain, by this writer, was changed, or that some before it are missing. */
function lossEntry(writer: string, at: number): Entry {
  return ownEntry(at, lossAction, `writer:${writer}`);
}

export function isLoss(entry: Pick<Entry, 'actor' | 'action'>): boolean {
  return entry.actor === actor && entry.action === lossAction;
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
