import { Injectable } from '@nestjs/common';
import { Clock } from '../platform/clock.js';
import { ThisProcess } from '../process-state/this-process.js';
import type { Noted } from './chain-check.js';
import { ChainVerifier, type Verification } from './chain-verifier.js';
import { VerificationTelemetry } from './verification.telemetry.js';

/** Whether the access log is what was written, when somebody asks. */
@Injectable()
export class AccessLogVerification {
  constructor(
    private readonly verifier: ChainVerifier,
    private readonly telemetry: VerificationTelemetry,
    private readonly thisProcess: ThisProcess,
    private readonly clock: Clock,
  ) {}

  /**
   * Whether any entry was changed, removed, added or moved. With entries whose hashes were noted elsewhere it also
   * finds a log that was written anew, or cut, as a whole.
   */
  async verify(noted: readonly Noted[] = []): Promise<Verification> {
    const verification = await this.verifier.verify(noted);
    if (verification.broken) {
      this.telemetry.broken(verification.broken);
      // What a caller noted may be wrong; what the log says of itself is not.
      if (noted.length === 0) this.thisProcess.note('access_log_broken', this.clock.now());
    }
    return verification;
  }
}
