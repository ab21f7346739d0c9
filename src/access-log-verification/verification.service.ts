import { Injectable } from '@nestjs/common';
import type { Noted } from './chain-check.js';
import { ChainVerifier, type Verification } from './chain-verifier.js';
import { VerificationTelemetry } from './verification.telemetry.js';

/** Whether the access log is what was written, when somebody asks. */
@Injectable()
export class AccessLogVerification {
  constructor(
    private readonly verifier: ChainVerifier,
    private readonly telemetry: VerificationTelemetry,
  ) {}

  /**
   * Whether any entry was changed, removed, added or moved. With entries whose hashes were noted elsewhere it also
   * finds a log that was written anew, or cut, as a whole.
   */
  async verify(noted: readonly Noted[] = []): Promise<Verification> {
    const verification = await this.verifier.verify(noted);
    if (verification.broken) this.telemetry.broken(verification.broken);
    return verification;
  }
}
