import { Injectable } from '@nestjs/common';
import { digestOf, fingerprintOf } from '../../http/server/idempotency-key.js';
import { UpstreamConfig } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import { CodedError } from '../../platform/platform/errors.js';
import { newId } from '../../platform/platform/ids.js';
import type { Tx } from '../../storage/database/tx.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { type CallKind, decide } from './call-kind.js';
import type { Failure } from './failure.js';
import type { KeySubject } from './idempotency-key.entity.js';
import { IdempotencyKeysRepository, type KeyRow } from './idempotency-keys.repository.js';

/** Subject of a call. */
export interface CallRequest {
  /** `accounts.id`. */
  readonly account: number | null;
  readonly objectId: string | null;
  /** A repeat of the request must have equal content. */
  readonly content: unknown;
}

/** Permission to call upstream once. Ending it requires that it is still held. */
export interface CallClaim {
  readonly kind: 'call';
  readonly subject: KeySubject;
  readonly callId: string;
  /** The lease. */
  readonly attempt: string;
  readonly account: number | null;
  readonly claimedAt: number;
  /** Start of the first call with an unknown outcome; now if this is the first call. */
  readonly openSince: number;
  /** True if an earlier call with the key may have had an effect. */
  readonly isRepeat: boolean;
}

/** Either permission to call, or the outcome of the key. */
export type Claim = CallClaim | { readonly kind: 'done'; readonly outcomeId: string };

/**
 * Calls that must not happen twice: one row per idempotency key of a caller and subject. Each step is one transaction.
 *
 *   (no row) --key stored-->       refused  free
 *   refused, unknown --claim-->    calling  under a lease
 *   calling  --failed-->           refused  nothing was done, or unknown
 *   any      --done-->             done     in the transaction that stores the outcome
 *   calling  --the lease ends-->   (as unknown)
 */
@Injectable()
export class IdempotencyKeys {
  /** Attempts of this process that have not ended. */
  private readonly running = new Set<string>();
  /** The call and one lookup before and after it take one timeout each; the rest is for storing their results. */
  private readonly leaseMs: number;

  constructor(
    private readonly keys: IdempotencyKeysRepository,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    { timeoutMs }: UpstreamConfig,
  ) {
    this.leaseMs = 4 * timeoutMs;
  }

  /**
   * Stores the key before the call. `prepare` runs first in the transaction, to lock what the call is about. Throws
   * `idempotency_key_reused`, and what the kind and `prepare` throw. After permission to call, call `done` or `failed`,
   * and then `forget`.
   */
  async claim(kind: CallKind, idempotencyKey: string, prepare: (tx: Tx) => Promise<CallRequest>): Promise<Claim> {
    const attempt = newId();
    this.running.add(attempt);
    try {
      const claim = await this.lane.run(async (tx) =>
        this.claimIn(tx, kind, { idempotencyKey, attempt, ...(await prepare(tx)) }),
      );
      if (claim.kind === 'done') this.running.delete(attempt);
      return claim;
    } catch (error) {
      this.running.delete(attempt);
      throw error;
    }
  }

  /** Call in the database transaction that stores the outcome. With `account`, only a call of that account is done. */
  done(
    tx: Tx,
    call: { readonly subject: KeySubject; readonly callId: string; readonly account?: number | null },
    outcomeId: string,
  ): Promise<void> {
    const { subject, callId, account } = call;
    const outcome = { id: outcomeId, at: this.clock.now() };
    return this.keys.done(tx, { subject, callId, account: account ?? undefined }, outcome);
  }

  /** Records a failed call. Returns the outcome if it has become known otherwise. */
  failed({ callId, attempt }: CallClaim, { settled, error }: Failure): Promise<string | null> {
    const code = error instanceof CodedError ? error.code : 'internal';
    return this.lane.run(async (tx) => {
      await this.keys.fail(tx, { callId, attempt, settled, code });
      return this.keys.outcome(tx, callId);
    });
  }

  /** The attempt has ended, with any outcome. */
  forget({ attempt }: CallClaim): void {
    this.running.delete(attempt);
  }

  /** Those of the outcomes that belong to another key. */
  outcomesOfOthers(claim: CallClaim, outcomeIds: readonly string[]): Promise<ReadonlySet<string>> {
    return this.keys.outcomesOfOthers(claim, outcomeIds);
  }

  /** True if another key is done with the same object since, so its state is not from an earlier call of this claim. */
  isDoneByAnother({ callId }: CallClaim): Promise<boolean> {
    return this.keys.isDoneByAnother(callId);
  }

  /** Number of keys with an unknown outcome and no call in progress. */
  countUnresolved(subject: KeySubject): Promise<number> {
    return this.keys.countUnresolved(subject, this.clock.now());
  }

  private async claimIn(
    tx: Tx,
    kind: CallKind,
    { idempotencyKey, attempt, account, objectId, content }: CallRequest & { idempotencyKey: string; attempt: string },
  ): Promise<Claim> {
    const now = this.clock.now();
    const { subject } = kind;
    const digest = digestOf(kind.isKeyOfAccount ? `${account} ${idempotencyKey}` : idempotencyKey);
    const owner = { account_id: account, object_id: objectId };
    const fresh = { subject, key_digest: digest, call_id: newId(), ...owner, created_at: now };
    const row = await this.keys.lock(tx, fresh);
    const fingerprint = fingerprintOf(content, { idempotencyKey, salt: row.call_id });
    const others = objectId === null ? [] : await this.keys.otherCalls(tx, { ...row, object_id: objectId });
    const isCalling = [row, ...others].some((each) => this.isCalling(tx, each, now));
    const decision = decide(row, { fingerprint, now, isCalling }, kind);
    if (decision === 'done' && row.outcome_id !== null) return { kind: 'done', outcomeId: row.outcome_id };
    const openSince = row.open_since ?? now;
    const lease = { lease_owner: attempt, lease_until: now + this.leaseMs };
    await this.keys.startCall(tx, row.call_id, { ...owner, ...lease, fingerprint, open_since: openSince });
    const isRepeat = row.state !== 'refused';
    return { kind: 'call', subject, callId: row.call_id, attempt, account, claimedAt: now, openSince, isRepeat };
  }

  /**
   * True if a call under the key may be in progress. Only one process uses a SQLite file, so an attempt that this
   * process does not know died with the previous one.
   */
  private isCalling(tx: Tx, { state, lease_owner, lease_until }: KeyRow, now: number): boolean {
    if (state !== 'calling' || (lease_until ?? 0) <= now) return false;
    return tx.dialect !== 'sqlite' || (lease_owner !== null && this.running.has(lease_owner));
  }
}
