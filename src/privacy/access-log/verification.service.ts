import { Injectable } from '@nestjs/common';
import { AccessLogConfig } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import { AppError } from '../../platform/platform/errors.js';
import { yieldToEventLoop } from '../../platform/platform/event-loop.js';
import { ThisProcess } from '../../platform/platform/this-process.js';
import { AccessLogRepository } from './access-log.repository.js';
import { AccessLogTelemetry } from './access-log.telemetry.js';
import type { ChainEnds } from './chain.js';
import { type ChainBreak, ChainCheck, type Noted, type UnprovenPart } from './chain-check.js';
import { signCheckpoint } from './checkpoint.js';

/** Entries between two turns of the event loop: some milliseconds. */
const SLICE_SIZE = 100;

/** The result of a verification, and the two ends it was made with. */
export interface Verification {
  /** Number of entries between the two ends. */
  readonly entries: number;
  readonly ends: ChainEnds | null;
  /** The first place where the chain is broken. */
  readonly broken: ChainBreak | null;
  readonly unproven: readonly UnprovenPart[];
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
    private readonly config: AccessLogConfig,
    private readonly telemetry: AccessLogTelemetry,
    private readonly thisProcess: ThisProcess,
    private readonly clock: Clock,
  ) {}

  /**
   * Checks that no entry was changed, removed, added or moved. With entries noted outside the database it also
   * detects a log that was completely rewritten or truncated. Reads in slices, so memory stays bounded and other
   * requests run in between; entries added during a verification are not checked.
   */
  async verify(noted: readonly Noted[] = []): Promise<Verification> {
    const verification = await this.check(noted);
    if (verification.broken) {
      this.telemetry.broken(verification.broken);
      // A caller may send a wrong hash; without one only the log itself can be wrong.
      if (noted.length === 0) this.thisProcess.note('access_log_broken', this.clock.now());
    }
    return verification;
  }

  /** The current end of the log, signed. Throws `conflict` if no key is configured. */
  async checkpoint(): Promise<SignedCheckpoint> {
    const ends = await this.entries.ends();
    const { checkpointKey: key } = this.config;
    if (!key) throw new AppError('conflict', 'ACCESS_LOG_KEY is not set, so checkpoints cannot be signed.');
    if (!ends) throw new AppError('conflict', 'The start or end of the access log is missing; verify the log.');
    return { checkpoint: signCheckpoint(ends, this.clock.now(), key), public_key: key.pem };
  }

  private async check(noted: readonly Noted[]): Promise<Verification> {
    for (;;) {
      const ends = await this.entries.ends();
      if (!ends) return { entries: 0, ends, broken: { seq: null, reason: 'chain_missing' }, unproven: [] };
      const check = new ChainCheck(ends, { noted, key: this.config.checkpointKey });
      while (await this.followSlice(check, ends.last_seq)) await yieldToEventLoop();
      const broken = check.judge() ?? (await this.outside());
      const after = await this.entries.ends();
      // Entries that retention removed during the check look missing: check again from the new front.
      if (!broken || after?.first_seq === ends.first_seq)
        return { entries: check.entries, ends, broken, unproven: [...check.unproven] };
    }
  }

  /** True if more entries may follow. */
  private async followSlice(check: ChainCheck, lastSeq: number): Promise<boolean> {
    const slice = await this.entries.slice(check.reached, lastSeq, SLICE_SIZE);
    for (const entry of slice) check.follow(entry);
    return slice.length === SLICE_SIZE;
  }

  /** Reads the newest entry before the ends and the oldest after them, because both ends only move forward. */
  private async outside(): Promise<ChainBreak | null> {
    const { newest } = await this.entries.range();
    const ends = await this.entries.ends();
    const { oldest } = await this.entries.range();
    if (ends && newest !== null && newest > ends.last_seq) return { seq: newest, reason: 'entry_unknown' };
    if (ends && oldest !== null && oldest < ends.first_seq) return { seq: oldest, reason: 'entry_unknown' };
    return null;
  }
}
