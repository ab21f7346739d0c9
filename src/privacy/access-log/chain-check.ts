import type { VerifyingKey } from '../../platform/config/signing-keys.js';
import {
  type ChainEnds,
  type ChainedEntry,
  hashOf,
  isLoss,
  isRestart,
  noHash,
  type Removal,
  removalOf,
} from './chain.js';

/**
 * Why a chain is broken. `entry_missing`: an entry is missing, or all entries from there to the end. `entry_changed`:
 * an entry does not match its own hash. `link_broken`: it matches its hash but does not follow the previous entry, so
 * one of the two was replaced. `end_changed`: the last entry is not the recorded end of the chain. `entry_unknown`: an
 * entry is outside the two ends. `not_as_noted`, `noted_missing`: the entry of a checkpoint has another hash, or does
 * not exist. `chain_missing`: the row with the two ends is missing. `chain_restarted`: it was missing, and recording
 * continued. `entries_lost`: entries were changed or removed while they waited for the chain. `removal_unrecorded`: the
 * front is missing, and no entry records that retention removed it. `removal_wrong`: an entry about a removal
 * contradicts the remaining entries, earlier removals or its own signature. `removal_unsigned`: the newest removal is
 * not signed with the key of this service.
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
  'entries_lost',
  'removal_unrecorded',
  'removal_wrong',
  'removal_unsigned',
] as const;
export type BreakReason = (typeof breakReasons)[number];

/** Parts of an intact chain that are unsigned, so anyone with write access could have forged them. */
export const unprovenParts = ['removal_unsigned'] as const;
export type UnprovenPart = (typeof unprovenParts)[number];

export interface ChainBreak {
  /** Null if no single entry is at fault. */
  readonly seq: number | null;
  readonly reason: BreakReason;
}

/** An entry's number and hash, kept outside the database. */
export interface Noted {
  readonly seq: number;
  readonly hash: string;
}

export interface ChainCheckOptions {
  readonly noted?: readonly Noted[];
  /** Verifies the signatures of removals; undefined if removals are not signed. */
  readonly key?: VerifyingKey | undefined;
}

/** Checks a chain from its anchor to its end, entry by entry. Keeps the first break and counts entries. */
export class ChainCheck {
  /** Entries seen so far. */
  entries = 0;
  readonly unproven = new Set<UnprovenPart>();
  private found: ChainBreak | null = null;
  /** The first entry that says so of itself. */
  private told: ChainBreak | null = null;
  private newest: { readonly at: number; readonly removal: Removal } | null = null;
  /** Hash of the last entry seen. */
  private hash: string;
  private seq: number;
  /** Noted entries not reached yet, in the order of the chain. */
  private readonly ahead: Noted[];
  private readonly notedBefore: Noted | undefined;
  private readonly key: VerifyingKey | undefined;

  constructor(
    private readonly ends: ChainEnds,
    { noted = [], key }: ChainCheckOptions = {},
  ) {
    this.hash = ends.anchor_hash;
    this.seq = ends.first_seq - 1;
    this.key = key;
    const inOrder = [...noted].sort((a, b) => a.seq - b.seq);
    this.notedBefore = inOrder.find(({ seq }) => seq < this.seq);
    this.ahead = inOrder.filter(({ seq }) => seq >= this.seq);
    this.compareWithNoted();
  }

  /** Number of the last entry seen. */
  get reached(): number {
    return this.seq;
  }

  /** Checks the next entry in order of `seq`. After the first break, entries are only counted. */
  follow(entry: ChainedEntry): void {
    this.entries += 1;
    this.found ??= this.breakAt(entry) ?? this.breakOfRemoval(entry);
    if (isRestart(entry)) this.told ??= { seq: entry.seq, reason: 'chain_restarted' };
    if (isLoss(entry)) this.told ??= { seq: entry.seq, reason: 'entries_lost' };
    this.seq = entry.seq;
    this.hash = entry.hash;
    if (this.found === null) this.compareWithNoted();
  }

  /** The first break; null if the chain is intact. Call after following every entry up to the end. */
  judge(): ChainBreak | null {
    const { last_seq, last_hash } = this.ends;
    if (this.found) return this.found;
    if (this.seq < last_seq) return { seq: this.seq + 1, reason: 'entry_missing' };
    if (this.hash !== last_hash) return { seq: last_seq, reason: 'end_changed' };
    return this.breakAtFront() ?? this.told ?? this.missingNoted();
  }

  private breakAt(entry: ChainedEntry): ChainBreak | null {
    if (entry.seq !== this.seq + 1) return { seq: this.seq + 1, reason: 'entry_missing' };
    if (hashOf(entry) !== entry.hash) return { seq: entry.seq, reason: 'entry_changed' };
    if (entry.previous_hash !== this.hash) return { seq: entry.seq, reason: 'link_broken' };
    return null;
  }

  /** Each removal must continue where the previous one ended. */
  private breakOfRemoval(entry: ChainedEntry): ChainBreak | null {
    const removal = removalOf(entry);
    if (removal === null) return null;
    const wrong: ChainBreak = { seq: entry.seq, reason: 'removal_wrong' };
    if (removal === 'unreadable' || removal.to >= entry.seq) return wrong;
    const { from, to, count } = removal;
    if (count !== to - from + 1) return wrong;
    if (this.newest && from !== this.newest.removal.to + 1) return wrong;
    const signed = this.signed(removal);
    if (signed === 'wrong') return wrong;
    if (signed === 'no') this.unproven.add('removal_unsigned');
    this.newest = { at: entry.seq, removal };
    return null;
  }

  /** `no`: there is no signature, or it is by an unknown key and proves nothing. */
  private signed({ signature }: Removal): 'yes' | 'no' | 'wrong' {
    if (!signature || signature.keyId !== this.key?.id) return 'no';
    return this.key.verifies(signature.over, signature.value) ? 'yes' : 'wrong';
  }

  /** A chain must begin with 1, or after the newest removal. */
  private breakAtFront(): ChainBreak | null {
    const { newest } = this;
    const { first_seq, anchor_hash } = this.ends;
    const removedTo = newest?.removal.to ?? 0;
    if (first_seq - 1 > removedTo) return { seq: removedTo + 1, reason: 'removal_unrecorded' };
    if (!newest) return anchor_hash === noHash ? null : { seq: 1, reason: 'link_broken' };
    const fits = first_seq - 1 === removedTo && anchor_hash === newest.removal.hash;
    if (!fits) return { seq: newest.at, reason: 'removal_wrong' };
    const isProven = this.key === undefined || this.signed(newest.removal) === 'yes';
    return isProven ? null : { seq: newest.at, reason: 'removal_unsigned' };
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
