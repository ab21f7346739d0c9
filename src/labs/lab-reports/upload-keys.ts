import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { callInProgress, digestOf, fingerprintOf, keyReused } from '../../http/server/idempotency-key.js';
import { UpstreamConfig } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import { AppError } from '../../platform/platform/errors.js';
import { newId } from '../../platform/platform/ids.js';
import type { Tx } from '../../storage/database/tx.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { type Attempt, callLeaseMs } from '../../storage/work/idempotency-keys.js';
import { type Failure, storedFailure } from '../orders/idempotency.js';
import type { LabReport } from './report-files.js';
import { UploadKeysRepository } from './upload-keys.repository.js';

export interface UploadRequest {
  /** `accounts.id`. */
  readonly account: number;
  readonly idempotencyKey: string;
  readonly report: LabReport;
}

/** Permission to call upstream once. */
export interface UploadClaim extends Attempt {
  readonly kind: 'call';
}

/** Either permission to call, or the job already made with this key. */
export type Claim = UploadClaim | { readonly kind: 'uploaded'; readonly jobId: string };

/** One row per idempotency key of an account. States: uploading.service.ts. Each step is one transaction. */
@Injectable()
export class UploadKeys {
  private readonly keys;

  constructor(
    uploads: UploadKeysRepository,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    private readonly config: UpstreamConfig,
  ) {
    this.keys = uploads.keys;
  }

  /**
   * Stores the key before the call. Throws `idempotency_key_reused`, and `conflict` while a call is in progress or
   * after one whose outcome is unknown.
   */
  claim(request: UploadRequest): Promise<Claim> {
    const attempt = newId();
    return this.keys.claim(attempt, () => this.lane.run((tx) => this.claimIn(tx, request, attempt)));
  }

  /** Call in the database transaction that stores the job. */
  uploaded(tx: Tx, { keyDigest }: Attempt, jobId: string): Promise<void> {
    return this.keys.done(tx, keyDigest, 'uploaded', { job_id: jobId });
  }

  failed(attempt: Attempt, failure: Failure): Promise<void> {
    return this.lane.run((tx) => this.keys.fail(tx, attempt, storedFailure(failure)));
  }

  forget({ attempt }: Attempt): void {
    this.keys.forget(attempt);
  }

  private async claimIn(tx: Tx, { account, idempotencyKey, report }: UploadRequest, attempt: string): Promise<Claim> {
    const now = this.clock.now();
    // Two people may choose the same key.
    const keyDigest = digestOf(`${account} ${idempotencyKey}`);
    const made = { account_id: account, salt: newId(), fingerprint: '', created_at: now };
    const row = await this.keys.lock(tx, keyDigest, made);
    const fingerprint = fingerprintOf(contentOf(report), { idempotencyKey, salt: row.salt });
    if (row.state !== 'refused' && row.fingerprint !== fingerprint) throw keyReused('body');
    if (row.state === 'uploaded' && row.job_id !== null) return { kind: 'uploaded', jobId: row.job_id };
    if (this.keys.isCalling(tx, row, now)) throw callInProgress('conflict', 'The report is being uploaded');
    if (row.state !== 'refused') throw unresolved();
    await this.keys.startCall(tx, { keyDigest, attempt }, now + callLeaseMs(this.config), { fingerprint });
    return { kind: 'call', keyDigest, attempt };
  }
}

function contentOf({ files, needsHumanReview }: LabReport): object {
  return { files: files.map(({ type, bytes }) => [type, hash('sha256', bytes)]), needsHumanReview };
}

function unresolved(): AppError {
  return new AppError(
    'conflict',
    'It is unknown whether the first call with this key uploaded the report. If no job of it appears within a few ' +
      'minutes, upload it with a new key.',
  );
}
