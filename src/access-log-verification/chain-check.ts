import {
  type ChainEnds,
  type ChainedEntry,
  hashOf,
  isRestart,
  noHash,
  type Removal,
  removalOf,
} from '../access-log/chain.js';
import type { VerifyingKey } from '../config/signing-keys.js';

/**
 * Why a chain is not whole.
 * `entry_missing`: an entry is gone, or all from there to the end. `entry_changed`: it does not fit its own hash.
 * `link_broken`: it does, but does not follow from the one before, so one of the two was replaced. `end_changed`: the
 * last entry is not the one the chain ends in. `entry_unknown`: an entry outside the two ends.
 * `not_as_noted`, `noted_missing`: an entry noted elsewhere is another one, or is not there.
 * `chain_missing`: the row with the two ends is gone. `chain_restarted`: it was, and recording went on.
 * `removal_unrecorded`: the front is gone, and no entry says that retention removed it. `removal_wrong`: an entry about
 * a removal does not fit what is left, those before it, or its own signature. `removal_unsigned`: the newest of them is
 * not signed, although this service has a key.
 */
export const breakReasons = [
  'entry_missing',
  'entry_changed',
  'link_broken',
  'end_changed',
  'entry_unknown',
  'not_as_noted',
  'noted_missing',
  'chain_missing',
  'chain_restarted',
  'removal_unrecorded',
  'removal_wrong',
  'removal_unsigned',
] as const;
export type BreakReason = (typeof breakReasons)[number];

/**
 * What an intact chain does not prove. `removal_unsigned`: whoever may write the table could have written the entry
 * that says what was removed from the front. `removal_without_hash`: an earlier version recorded a removal, and not
 * what went.
 */
export const unprovenParts = ['removal_unsigned', 'removal_without_hash'] as const;
export type UnprovenPart = (typeof unprovenParts)[number];

export interface ChainBreak {
  /** Null when no single entry is at fault. */
  readonly seq: number | null;
  readonly reason: BreakReason;
}

/** An entry's number and hash, written down at another time in another place. */
export interface Noted {
  readonly seq: number;
  readonly hash: string;
}

export interface ChainCheckOptions {
  readonly noted?: readonly Noted[];
  /** That sign removals, the present one first; none where removals are not signed. */
  readonly keys?: readonly VerifyingKey[];
}

/** Follows a chain from its anchor to its end, entry by entry; remembers the first break and how many were seen. */
export class ChainCheck {
  /** How many entries were there. */
  entries = 0;
  readonly unproven = new Set<UnprovenPart>();
  private found: ChainBreak | null = null;
  private restartedAt: number | null = null;
  private newest: { readonly at: number; readonly removal: Removal } | null = null;
  /** Of the last entry that was followed. */
  private hash: string;
  private seq: number;
  /** What was noted and not yet met, in the order of the chain. */
  private readonly ahead: Noted[];
  private readonly notedBefore: Noted | undefined;
  private readonly keys: readonly VerifyingKey[];

  constructor({ first_seq, anchor_hash }: ChainEnds, { noted = [], keys = [] }: ChainCheckOptions = {}) {
    this.hash = anchor_hash;
    this.seq = first_seq - 1;
    this.keys = keys;
    const inOrder = [...noted].sort((a, b) => a.seq - b.seq);
    this.notedBefore = inOrder.find(({ seq }) => seq < this.seq);
    this.ahead = inOrder.filter(({ seq }) => seq >= this.seq);
    this.compareWithNoted();
  }

  /** Where it has come to. */
  get reached(): Noted {
    return { seq: this.seq, hash: this.hash };
  }

  /** The next entry in the order of `seq`. Once a break was found, entries are counted and no longer judged. */
  follow(entry: ChainedEntry): void {
    this.entries += 1;
    this.found ??= this.breakAt(entry) ?? this.breakOfRemoval(entry);
    if (isRestart(entry)) this.restartedAt ??= entry.seq;
    this.seq = entry.seq;
    this.hash = entry.hash;
    if (this.found === null) this.compareWithNoted();
  }

  /** What is wrong, after the last entry of a chain with these ends; more may follow. */
  judge(ends: ChainEnds): ChainBreak | null {
    if (this.found) return this.found;
    const { last_seq, last_hash } = ends;
    const reached = this.seq;
    if (reached < last_seq) return { seq: reached + 1, reason: 'entry_missing' };
    if (reached > last_seq) return { seq: last_seq + 1, reason: 'entry_missing' };
    if (this.hash !== last_hash) return { seq: last_seq, reason: 'end_changed' };
    return this.breakAtFront(ends) ?? this.restarted() ?? this.missingNoted();
  }

  private breakAt(entry: ChainedEntry): ChainBreak | null {
    if (entry.seq !== this.seq + 1) return { seq: this.seq + 1, reason: 'entry_missing' };
    if (hashOf(entry) !== entry.hash) return { seq: entry.seq, reason: 'entry_changed' };
    if (entry.previous_hash !== this.hash) return { seq: entry.seq, reason: 'link_broken' };
    return null;
  }

  /** Each removal goes on where the one before ended. */
  private breakOfRemoval(entry: ChainedEntry): ChainBreak | null {
    const removal = removalOf(entry);
    if (removal === null) return null;
    const wrong: ChainBreak = { seq: entry.seq, reason: 'removal_wrong' };
    if (removal === 'unreadable' || removal.to >= entry.seq) return wrong;
    const { from, to, count } = removal;
    if (from !== null && count !== to - from + 1) return wrong;
    const before = this.newest?.removal;
    if (before && (from === null ? to <= before.to : from !== before.to + 1)) return wrong;
    if (this.signed(removal) === 'wrong') return wrong;
    if (removal.hash === null) this.unproven.add('removal_without_hash');
    if (this.signed(removal) === 'no') this.unproven.add('removal_unsigned');
    this.newest = { at: entry.seq, removal };
    return null;
  }

  /** A signature by a key that is not known here proves nothing. */
  private signed({ signature }: Removal): 'yes' | 'no' | 'wrong' {
    const key = signature && this.keys.find(({ id }) => id === signature.keyId);
    if (!signature || !key) return 'no';
    return key.verifies(signature.over, signature.value) ? 'yes' : 'wrong';
  }

  /** A chain begins with 1, or else behind what its newest removal says. */
  private breakAtFront({ first_seq, anchor_hash }: ChainEnds): ChainBreak | null {
    const { newest } = this;
    const removedTo = newest?.removal.to ?? 0;
    if (first_seq - 1 > removedTo) return { seq: removedTo + 1, reason: 'removal_unrecorded' };
    if (!newest) return anchor_hash === noHash ? null : { seq: 1, reason: 'link_broken' };
    const fits = first_seq - 1 === removedTo && [null, anchor_hash].includes(newest.removal.hash);
    if (!fits) return { seq: newest.at, reason: 'removal_wrong' };
    const isProven = this.keys.length === 0 || this.signed(newest.removal) === 'yes';
    return isProven ? null : { seq: newest.at, reason: 'removal_unsigned' };
  }

  private restarted(): ChainBreak | null {
    return this.restartedAt === null ? null : { seq: this.restartedAt, reason: 'chain_restarted' };
  }

  private missingNoted(): ChainBreak | null {
    const missing = this.notedBefore ?? this.ahead[0];
    return missing ? { seq: missing.seq, reason: 'noted_missing' } : null;
  }

  private compareWithNoted(): void {
    while (this.ahead[0]?.seq === this.seq) {
      if (this.ahead.shift()?.hash !== this.hash) this.found ??= { seq: this.seq, reason: 'not_as_noted' };
    }
  }
}
