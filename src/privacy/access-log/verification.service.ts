import { Injectable } from '@nestjs/common';
import { AccessLogConfig } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import { AppError } from '../../platform/platform/errors.js';
import { yieldToEventLoop } from '../../platform/platform/event-loop.js';
import { ThisProcess } from '../../platform/platform/this-process.js';
import { AccessLogRepository } from './access-log.repository.js';
import { AccessLogTelemetry } from './access-log.telemetry.js';
import type { ChainEnds } from './chain.js';
import { ChainWorker } from './chain.worker.js';
import { type ChainBreak, ChainCheck, type Noted, type UnprovenPart } from './chain-check.js';
import { signCheckpoint } from './checkpoint.js';
import { MAX_ENTRIES_A_TURN } from './tuning.js';

/** Result of a verification, and the two ends that it used. */
export interface Verification {
  /** Number of entries between the two ends. */
  readonly entries: number;
  readonly ends: ChainEnds | null;
  /** The first break of the chain; null if it is intact. */
  readonly broken: ChainBreak | null;
  readonly unproven: readonly UnprovenPart[];
  /** Number of recorded entries that are not chained yet, of which nothing is verified. */
  readonly unchained: number;
}

export interface SignedCheckpoint {
  readonly checkpoint: string;
  /** PEM. */
  readonly public_key: string;
}

/** Verifies the chain of the access log on request, and signs its end. */
@Injectable()
export class AccessLogVerification {
  constructor(
    private readonly entries: AccessLogRepository,
    private readonly chain: ChainWorker,
    private readonly config: AccessLogConfig,
    private readonly telemetry: AccessLogTelemetry,
    private readonly thisProcess: ThisProcess,
    private readonly clock: Clock,
  ) {}

  /**
   * Checks that no entry was changed, removed, added or moved. With entries noted outside the database, it also detects
   * a log that was completely rewritten or truncated. Reads in slices, so that memory stays bounded and other requests
   * can run. Does not check entries added during a verification, nor those that cannot be chained before it.
   */
  async verify(noted: readonly Noted[] = []): Promise<Verification> {
    // A chain that accepts no entry is what the check finds.
    await this.chain.settle().catch(() => undefined);
    const verification = { ...(await this.check(noted)), unchained: await this.entries.waiting() };
    if (verification.broken) {
      this.telemetry.broken(verification.broken);
      // A caller may send a wrong hash. Without noted entries, only the log itself can be at fault.
      if (noted.length === 0) this.thisProcess.note('access_log_broken', this.clock.now());
    }
    return verification;
  }

  /** The signed current end of the log. Throws `conflict` if no key is configured, or if the ends are missing. */
  async checkpoint(): Promise<SignedCheckpoint> {
    await this.chain.settle();
    const ends = await this.entries.ends();
    const { checkpointKey: key } = this.config;
    if (!key) throw new AppError('conflict', 'ACCESS_LOG_KEY is not set, so checkpoints cannot be signed.');
    if (!ends) throw new AppError('conflict', 'The start or end of the access log is missing; verify the log.');
    return { checkpoint: signCheckpoint(ends, this.clock.now(), key), public_key: key.pem };
  }

  private async check(noted: readonly Noted[]): Promise<Omit<Verification, 'unchained'>> {
    for (;;) {
      const ends = await this.entries.ends();
      if (!ends) return { entries: 0, ends, broken: { seq: null, reason: 'chain_missing' }, unproven: [] };
      const check = new ChainCheck(ends, { noted, key: this.config.checkpointKey });
      while (await this.followSlice(check, ends.last_seq)) await yieldToEventLoop();
      const broken = check.judge() ?? (await this.outside());
      const after = await this.entries.ends();
      // Entries that retention removed during the check seem to be missing: check again from the new front.
      if (!broken || after?.first_seq === ends.first_seq)
        return { entries: check.entries, ends, broken, unproven: [...check.unproven] };
    }
  }

  /** True if more entries may follow. */
  private async followSlice(check: ChainCheck, lastSeq: number): Promise<boolean> {
    const slice = await this.entries.slice(check.reached, lastSeq, MAX_ENTRIES_A_TURN);
    for (const entry of slice) check.follow(entry);
    return slice.length === MAX_ENTRIES_A_TURN;
  }

  /**
   * Looks for entries outside the two ends. Both ends only move forward, so it reads the newest entry before it reads
   * the ends, and the oldest entry after.
   */
  private async outside(): Promise<ChainBreak | null> {
    const { newest } = await this.entries.range();
    const ends = await this.entries.ends();
    const { oldest } = await this.entries.range();
    if (ends && newest !== null && newest > ends.last_seq) return { seq: newest, reason: 'entry_unknown' };
    if (ends && oldest !== null && oldest < ends.first_seq) return { seq: oldest, reason: 'entry_unknown' };
    return null;
  }
}
