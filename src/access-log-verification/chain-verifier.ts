import { Injectable } from '@nestjs/common';
import { AccessLog } from '../access-log/access-log.service.js';
import type { ChainEnds } from '../access-log/chain.js';
import { AccessLogConfig } from '../config/config.js';
import type { VerifyingKey } from '../config/signing-keys.js';
import { yieldToEventLoop } from '../platform/event-loop.js';
import { type ChainBreak, ChainCheck, type Noted, type UnprovenPart } from './chain-check.js';

/** Entries between two turns of the event loop: some milliseconds. */
export const SLICE_SIZE = 100;

/** What was found, and the two ends at that moment. */
export interface Verification {
  /** Entries there were between the two ends. */
  readonly entries: number;
  readonly ends: ChainEnds | null;
  /** The first place where the chain is not whole. */
  readonly broken: ChainBreak | null;
  readonly unproven: readonly UnprovenPart[];
}

/**
 * Checks that every entry is what was written, in its place, and that none is gone but by retention. Reads slice by
 * slice, so that memory is bounded and others get their turns; entries written meanwhile are left for the next time.
 */
@Injectable()
export class ChainVerifier {
  readonly keys: readonly VerifyingKey[];

  constructor(
    private readonly log: AccessLog,
    { checkpointKey, earlierKeys }: AccessLogConfig,
  ) {
    this.keys = checkpointKey ? [checkpointKey, ...earlierKeys] : [];
  }

  /** With entries noted elsewhere it also finds a chain that was written anew, or cut, as a whole. */
  async verify(noted: readonly Noted[] = []): Promise<Verification> {
    for (;;) {
      const ends = await this.log.ends();
      if (!ends) return { entries: 0, ends, broken: { seq: null, reason: 'chain_missing' }, unproven: [] };
      const check = new ChainCheck(ends, { noted, keys: this.keys });
      while (await this.follow(check, ends, SLICE_SIZE)) await yieldToEventLoop();
      const broken = check.judge(ends) ?? (await this.outside());
      const after = await this.log.ends();
      // Entries that were removed by age while they were read look as if they were missing.
      if (!broken || after?.first_seq === ends.first_seq)
        return { entries: check.entries, ends, broken, unproven: [...check.unproven] };
    }
  }

  /** Takes a check on by one slice of at most so many entries; true when there may be more. */
  async follow(check: ChainCheck, ends: ChainEnds, limit: number): Promise<boolean> {
    const slice = await this.log.slice(check.reached.seq, ends.last_seq, limit);
    for (const entry of slice) check.follow(entry);
    return slice.length === limit;
  }

  /** The entries are asked for before the ends, which may only move away from them. */
  async outside(): Promise<ChainBreak | null> {
    const { newest } = await this.log.range();
    const ends = await this.log.ends();
    const { oldest } = await this.log.range();
    if (ends && newest !== null && newest > ends.last_seq) return { seq: newest, reason: 'entry_unknown' };
    if (ends && oldest !== null && oldest < ends.first_seq) return { seq: oldest, reason: 'entry_unknown' };
    return null;
  }
}
