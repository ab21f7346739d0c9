import { Injectable } from '@nestjs/common';
import { AppError } from '../platform/errors.js';
import { yieldToEventLoop } from '../platform/event-loop.js';
import type { AccessChainEntity } from './access-log.entity.js';
import { AccessLogRepository } from './access-log.repository.js';
import { type ChainBreak, ChainCheck, type Noted } from './chain-check.js';

const SLICE_SIZE = 1_000;

/** What was found, and the two ends at that moment. */
export interface Verification {
  /** Entries there were between the two ends. */
  readonly entries: number;
  readonly ends: AccessChainEntity | null;
  /** The first place where the chain is not whole. */
  readonly broken: ChainBreak | null;
}

/**
 * Checks that every entry is what was written, in its place, and that none is gone. Reads slice by slice, so that
 * memory is bounded and others get their turns; entries written meanwhile are left for the next time.
 */
@Injectable()
export class ChainVerifier {
  constructor(private readonly entries: AccessLogRepository) {}

  /**
   * With an entry noted elsewhere it also finds a chain that was written anew as a whole. Throws `invalid_request` when
   * that entry is older than what is kept.
   */
  async verify(noted: Noted | null = null): Promise<Verification> {
    for (;;) {
      const ends = await this.entries.ends();
      if (!ends) return { entries: 0, ends, broken: { seq: null, reason: 'chain_missing' } };
      if (noted && noted.seq < ends.first_seq - 1) throw notKept();
      const { entries, found } = await this.scan(ends, noted);
      const broken = found ?? (await this.outside());
      const after = await this.entries.ends();
      // Entries that were removed by age while they were read look as if they were missing.
      if (!broken || after?.first_seq === ends.first_seq) return { entries, ends, broken };
    }
  }

  private async scan(ends: AccessChainEntity, noted: Noted | null): Promise<ChainCheck> {
    const check = new ChainCheck(ends, noted);
    for (;;) {
      const slice = await this.entries.slice(check.at, ends.last_seq, SLICE_SIZE);
      for (const entry of slice) check.follow(entry);
      if (slice.length < SLICE_SIZE) break;
      await yieldToEventLoop();
    }
    check.end();
    return check;
  }

  /** The entries are asked for before the ends, which may only move away from them. */
  private async outside(): Promise<ChainBreak | null> {
    const { newest } = await this.entries.range();
    const ends = await this.entries.ends();
    const { oldest } = await this.entries.range();
    if (ends && newest !== null && newest > ends.last_seq) return { seq: newest, reason: 'entry_unknown' };
    if (ends && oldest !== null && oldest < ends.first_seq) return { seq: oldest, reason: 'entry_unknown' };
    return null;
  }
}

function notKept(): AppError {
  const message = 'seq must be of an entry that is still kept';
  return new AppError('invalid_request', 'Entries as old as the noted one have been removed.', {
    fields: [{ field: 'seq', message }],
  });
}
