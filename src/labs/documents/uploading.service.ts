import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AccountsService } from '../../accounts/accounts/accounts.service.js';
import { callInProgress } from '../../http/server/idempotency-key.js';
import { AppError } from '../../platform/platform/errors.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { UpstreamClient, type WireParsingJob } from '../../upstream/client/upstream.client.js';
import { interactive } from '../../upstream/transport/call.js';
import { UpstreamError } from '../../upstream/transport/upstream-error.js';
import type { CallKind } from '../keys/call-kind.js';
import { type Failure, outcomeUnknown } from '../keys/failure.js';
import { type CallClaim, IdempotencyKeys } from '../keys/idempotency-keys.service.js';
import { LabReportsTelemetry } from './lab-reports.telemetry.js';
import { type ParsingJob, ParsingJobs } from './parsing-jobs.service.js';
import type { LabReport } from './report-files.js';

/*
 * Uploads a lab report to upstream's parser, at most once per idempotency key of a caller (table idempotency_keys).
 * Upstream takes no key and lists no jobs, so a call without an outcome is never repeated.
 *
 *   (no row) --key stored-->       calling
 *   calling  --success-->          done      the job and this state are stored in one transaction; the job is then
 *                                            followed like one from an event
 *   calling  --nothing uploaded--> refused   by upstream, or nothing was sent
 *   calling  --anything else-->    unknown   timeout, 5xx, lost or unreadable response
 *   calling  --lease expires-->    (as unknown)
 *   unknown  --same file again-->  unknown   `conflict`; the event of the job still makes it known
 *   refused  --any file-->         calling
 *   done     --same file again-->  done      returned from the database, without a call
 */

const uploading: CallKind = {
  subject: 'lab_report',
  isKeyOfAccount: true,
  reused: 'body',
  inProgress: () => callInProgress('conflict', 'The report is being uploaded'),
  assertRepeatable: () => {
    throw unresolved();
  },
};

export interface Uploaded {
  readonly job: ParsingJob;
  /** True if returned from the database without a call. */
  readonly replayed: boolean;
}

@Injectable()
export class UploadingService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly keys: IdempotencyKeys,
    private readonly client: UpstreamClient,
    private readonly jobs: ParsingJobs,
    private readonly lane: WriteLane,
    private readonly telemetry: LabReportsTelemetry,
  ) {}

  /**
   * Uploads a report, or returns the job already made with the key. Throws what `AccountsService.ensure` throws;
   * `idempotency_key_reused`, `conflict`; `upstream_invalid_request` or `payload_too_large` if upstream refuses the
   * files; and `UpstreamError`, or an error with its code.
   */
  async upload(externalId: string, idempotencyKey: string, report: LabReport): Promise<Uploaded> {
    const account = await this.accounts.ensure(externalId, interactive);
    const request = { account: account.id, objectId: null, content: contentOf(report) };
    const claim = await this.keys.claim(uploading, idempotencyKey, () => Promise.resolve(request));
    if (claim.kind === 'done') {
      this.telemetry.uploaded(account.id, 'repeated');
      return { job: await this.jobs.get(claim.outcomeId), replayed: true };
    }
    try {
      const made = await this.send(claim, account.upstream_user_id, report);
      await this.lane.run(async (tx) => {
        await this.keys.done(tx, claim, made.id);
        const job = { jobId: made.id, orderId: null, data: made };
        await this.jobs.apply(tx, job, { account: account.id, at: tx.now });
      });
      this.telemetry.uploaded(account.id, 'uploaded');
      return { job: await this.jobs.get(made.id), replayed: false };
    } finally {
      this.keys.forget(claim);
    }
  }

  /** Like `upload`, for an account that exists. Throws `not_found`. */
  async uploadFor(externalId: string, idempotencyKey: string, report: LabReport): Promise<Uploaded> {
    await this.accounts.get(externalId);
    return this.upload(externalId, idempotencyKey, report);
  }

  private async send(claim: CallClaim, userId: string, report: LabReport): Promise<WireParsingJob> {
    try {
      return await this.client.createParsingJob({ userId, ...report }, interactive);
    } catch (error) {
      const failure = failureOf(error);
      await this.keys.failed(claim, failure);
      this.telemetry.failed(failure);
      throw failure.error;
    }
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

const unknown =
  'It is unknown whether the report was uploaded. If no job of it appears within a few minutes, upload it with a new key.';

function failureOf(error: unknown): Failure {
  if (!(error instanceof UpstreamError)) return { settled: false, error };
  if (error.mayHaveWorked) return { settled: false, error: outcomeUnknown(error, unknown) };
  if (error.status === 413) {
    return { settled: true, error: new AppError('payload_too_large', 'Upstream says that the files are too large.') };
  }
  return { settled: true, error: error.isVerdict ? refused(error) : error };
}

function refused(cause: UpstreamError): AppError {
  const message = 'Upstream does not accept the files: they may be damaged or encrypted. Nothing was uploaded.';
  return new AppError('upstream_invalid_request', message, { cause });
}
