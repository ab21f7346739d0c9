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

/** Permission to call upstream once. */
export interface DecisionClaim extends Attempt {
  readonly kind: 'call';
  /** True if an earlier call with the key may have decided. */
  readonly mayBeDecided: boolean;
}

/** Either permission to call, or the fact that the decision was already made with this key. */
export type Claim = DecisionClaim | { readonly kind: 'decided' };

/** One row per idempotency key. States: deciding.service.ts. Each step is one transaction. */
@Injectable()
export class DecisionKeys {
  constructor(
    private readonly results: UnmatchedResultsRepository,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    private readonly config: UpstreamConfig,
  ) {}

  /** Stores the key before the call. Throws `idempotency_key_reused`, or `conflict` while a call is in progress. */
  claim(request: DecisionRequest): Promise<Claim> {
    const attempt = newId();
    return this.results.keys.claim(attempt, () => this.lane.run((tx) => this.claimIn(tx, request, attempt)));
  }

  /** Call in the database transaction that stores the outcome. */
  decided(tx: Tx, { keyDigest }: Attempt): Promise<void> {
    return this.results.keys.done(tx, keyDigest, 'decided', {});
  }

  /** True if another key has decided since, so the decision is not from an earlier call of this claim. */
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
    // Lock the result so that two keys cannot both find it free.
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
