import type { AccessChainEntity, AccessEntryEntity } from './access-log.entity.js';
import { hashOf } from './chain.js';

/**
 * Why a chain is not whole. `entry_missing`: an entry is gone, or all from there to the end. `entry_changed`: it does
 * not fit its own hash. `link_broken`: it does, but does not follow from the one before, so one of the two was
 * replaced. `end_changed`: the last entry is not the one the chain ends in. `entry_unknown`: an entry outside the two
 * ends. `not_as_noted`: it is not the one whose hash was noted. `chain_missing`: the two ends themselves are gone.
 */
export const breakReasons = [
  'entry_missing',
  'entry_changed',
  'link_broken',
  'end_changed',
  'entry_unknown',
  'not_as_noted',
  'chain_missing',
] as const;
export type BreakReason = (typeof breakReasons)[number];

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

/** Follows a chain from its anchor to its end, entry by entry; remembers the first break and how many were seen. */
export class ChainCheck {
  /** How many entries were there. */
  entries = 0;
  found: ChainBreak | null = null;
  private hash: string;
  /** Of the last entry that was followed. */
  private seq: number;

  constructor(
    private readonly ends: AccessChainEntity,
    private readonly noted: Noted | null = null,
  ) {
    this.hash = ends.anchor_hash;
    this.seq = ends.first_seq - 1;
    this.compareWithNoted();
  }

  get at(): number {
    return this.seq;
  }

  /** The next entry in the order of `seq`. Once a break was found, entries are counted and no longer judged. */
  follow(entry: AccessEntryEntity): void {
    this.entries += 1;
    this.found ??= this.breakAt(entry);
    this.seq = entry.seq;
    this.hash = entry.hash;
    if (this.found === null) this.compareWithNoted();
  }

  /** After the last entry. */
  end(): void {
    const { last_seq, last_hash } = this.ends;
    if (this.found) return;
    const reached = this.seq;
    if (reached < Math.max(last_seq, this.noted?.seq ?? 0)) this.found = { seq: reached + 1, reason: 'entry_missing' };
    else if (this.hash !== last_hash) this.found = { seq: last_seq, reason: 'end_changed' };
  }

  private breakAt(entry: AccessEntryEntity): ChainBreak | null {
    if (entry.seq !== this.seq + 1) return { seq: this.seq + 1, reason: 'entry_missing' };
    if (hashOf(entry) !== entry.hash) return { seq: entry.seq, reason: 'entry_changed' };
    if (entry.previous_hash !== this.hash) return { seq: entry.seq, reason: 'link_broken' };
    return null;
  }

  private compareWithNoted(): void {
    const isNoted = this.noted?.seq === this.seq;
    if (isNoted && this.noted?.hash !== this.hash) this.found = { seq: this.seq, reason: 'not_as_noted' };
  }
}
