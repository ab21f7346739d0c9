import { Injectable } from '@nestjs/common';
import { callInProgress, digestOf, fingerprintOf, keyReused } from '../../http/server/idempotency-key.js';
import { UpstreamConfig } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import { newId } from '../../platform/platform/ids.js';
import type { Tx } from '../../storage/database/tx.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { type Attempt, callLeaseMs } from '../../storage/work/idempotency-keys.js';
import type { WireAcceptance, WireResolution } from '../../upstream/client/wire-unmatched-results.js';
import { type Failure, storedFailure } from '../orders/idempotency.js';
import { UnmatchedResultsRepository } from './unmatched-results.repository.js';

export type Decision =
  | { readonly kind: 'accept'; readonly body: WireAcceptance }
  | { readonly kind: 'resolve'; readonly body: WireResolution };

export interface DecisionRequest {
  readonly id: string;
  readonly decision: Decision;
  readonly idempotencyKey: string;
}

/** The right to call upstream once. */
export interface DecisionClaim extends Attempt {
  readonly kind: 'call';
  /** An earlier call under the key may have decided. */
  readonly mayBeDecided: boolean;
}

/** Either the right to call, or word that the decision was made under this key before. */
export type Claim = DecisionClaim | { readonly kind: 'decided' };

/** One row for each idempotency key; its states are described in deciding.service.ts. Each step is one transaction. */
@Injectable()
export class DecisionKeys {
  constructor(
    private readonly results: UnmatchedResultsRepository,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    private readonly config: UpstreamConfig,
  ) {}

  /** Stores the key before anything is called. Throws `idempotency_key_reused`, or `conflict` while a call is made. */
  claim(request: DecisionRequest): Promise<Claim> {
    const attempt = newId();
    return this.results.keys.claim(attempt, () => this.lane.run((tx) => this.claimIn(tx, request, attempt)));
  }

  /** Call it in the database transaction that stores the outcome. */
  decided(tx: Tx, { keyDigest }: Attempt): Promise<void> {
    return this.results.keys.done(tx, keyDigest, 'decided', {});
  }

  /** True if the decision cannot be that of an earlier call of the claim, because another key made it since. */
  isByAnother({ keyDigest }: Attempt): Promise<boolean> {
    return this.results.isDecidedByAnother(keyDigest);
  }

  failed(attempt: Attempt, failure: Failure): Promise<void> {
    return this.lane.run((tx) => this.results.keys.fail(tx, attempt, storedFailure(failure)));
  }

  forget({ attempt }: Attempt): void {
    this.results.keys.forget(attempt);
  }

  private async claimIn(tx: Tx, request: DecisionRequest, attempt: string): Promise<Claim> {
    const { id, decision, idempotencyKey } = request;
    const { keys } = this.results;
    const now = this.clock.now();
    // Locks the result, so that two keys cannot both find it free.
    await this.results.lock(tx, id, now);
    const keyDigest = digestOf(idempotencyKey);
    const made = { unmatched_result_id: id, fingerprint: '', salt: newId(), created_at: now };
    const row = await keys.lock(tx, keyDigest, made);
    const fingerprint = fingerprintOf({ id, decision }, { idempotencyKey, salt: row.salt });
    if (row.state !== 'refused' && row.fingerprint !== fingerprint) throw keyReused('request');
    if (row.state === 'decided') return { kind: 'decided' };
    const rows = [row, ...(await this.results.callsAbout(tx, { id, keyDigest }))];
    if (rows.some((each) => keys.isCalling(tx, each, now)))
      throw callInProgress('conflict', 'A decision about this result is being made');
    const change = { unmatched_result_id: id, fingerprint };
    await keys.startCall(tx, { keyDigest, attempt }, now + callLeaseMs(this.config), change);
    return { kind: 'call', keyDigest, attempt, mayBeDecided: row.state !== 'refused' };
  }
}
