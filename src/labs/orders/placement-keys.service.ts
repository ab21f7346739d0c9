import { Injectable } from '@nestjs/common';
import { ErasureGuard } from '../../accounts/erasure-guard/erasure-guard.service.js';
import { digestOf, fingerprintOf } from '../../http/server/idempotency-key.js';
import { UpstreamConfig } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import { newId } from '../../platform/platform/ids.js';
import type { Tx } from '../../storage/database/tx.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { callLeaseMs, type Attempt as KeyAttempt } from '../../storage/work/idempotency-keys.js';
import type { WireOrder } from '../../upstream/client/wire-orders.js';
import { isCarriedBy, placementOf, withCorrelationId } from './correlation-id.js';
import { decide, type Failure, type IdempotencyDecision, storedFailure } from './idempotency.js';
import { OrderPlacementsRepository } from './order-placements.repository.js';

/** Permission to place an order once. */
export interface Attempt extends KeyAttempt {
  readonly placementId: string;
}

type OrderBody = Readonly<Record<string, unknown>>;

export interface PlacementRequest {
  readonly account: number;
  readonly idempotencyKey: string;
  /** The body for upstream, without our correlation id. */
  readonly body: OrderBody;
}

/** Permission to call upstream once with this body. */
export interface CallClaim extends Attempt {
  readonly kind: 'call';
  readonly body: OrderBody;
  /** Start of the first call with an unknown outcome; now if this is the first call. */
  readonly openSince: number;
  /** True if an earlier call may have placed the order. */
  readonly mayBePlaced: boolean;
}

/** Either permission to call, or the order already placed with this key. */
export type Claim = CallClaim | Extract<IdempotencyDecision, { kind: 'placed' }>;

/**
 * One row per idempotency key of a caller, with the state of its order. States and crashes: placing.service.ts. Each
 * step is one database transaction.
 */
@Injectable()
export class PlacementKeys {
  constructor(
    private readonly placements: OrderPlacementsRepository,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    private readonly config: UpstreamConfig,
    private readonly guard: ErasureGuard,
  ) {}

  /**
   * Stores the key before the call. Throws what `decide` throws, and `account_erased`. After a claim, call `placed` or
   * `failed`, and then `forget`.
   */
  claim(request: PlacementRequest): Promise<Claim> {
    const attempt = newId();
    return this.placements.keys.claim(attempt, () => this.lane.run((tx) => this.claimIn(tx, request, attempt)));
  }

  /** Records the placed order. Call in the database transaction that stores the order. */
  async placed(tx: Tx, { placementId }: Attempt, order: { id: string; account: number }): Promise<void> {
    const { id: orderId, account } = order;
    await this.placements.placed(tx, { placementId, account, orderId, now: this.clock.now() });
  }

  /** Settles the placement that the order's correlation id names, whatever the source of the order. */
  async settle(tx: Tx, order: WireOrder, observed: { account: number | null; observedAt: number }): Promise<void> {
    const placementId = placementOf(order);
    const { account, observedAt: now } = observed;
    if (placementId === null || account === null) return;
    await this.placements.placed(tx, { placementId, account, orderId: order.id, now });
  }

  /** Records a failed call. Returns the id of the order if it has arrived from another source; otherwise null. */
  failed(attempt: Attempt, failure: Failure): Promise<string | null> {
    return this.lane.run(async (tx) => {
      const own = failure.settled ? { open_since: null } : {};
      await this.placements.keys.fail(tx, attempt, storedFailure(failure), own);
      return this.placements.orderOf(tx, attempt.placementId);
    });
  }

  /** Those of the orders that the claim may have placed: they have its `passthrough`, and no other key placed them. */
  async placedUnder(claim: CallClaim, orders: readonly WireOrder[]): Promise<WireOrder[]> {
    const carrying = orders.filter((order) => isCarriedBy(order, claim));
    const ids = carrying.map(({ id }) => id);
    const others = await this.placements.placedByOthers(claim.placementId, ids);
    return carrying.filter(({ id }) => !others.has(id));
  }

  forget(attempt: string): void {
    this.placements.keys.forget(attempt);
  }

  /** Number of keys with an unknown outcome and no call in progress. */
  countUnresolved(): Promise<number> {
    return this.placements.countUnresolved(this.clock.now());
  }

  private async claimIn(tx: Tx, request: PlacementRequest, attempt: string): Promise<Claim> {
    const now = this.clock.now();
    const { account, idempotencyKey, body } = request;
    const { keys } = this.placements;
    await this.guard.assertWritable(tx, account);
    const keyDigest = digestOf(idempotencyKey);
    const made = { placement_id: newId(), account_id: account, fingerprint: '', created_at: now };
    const row = await keys.lock(tx, keyDigest, made);
    const { placement_id: placementId, open_since } = row;
    const fingerprint = fingerprintOf(body, { idempotencyKey, salt: placementId });
    const decision = decide(row, { fingerprint, now, isCalling: keys.isCalling(tx, row, now) });
    if (decision.kind === 'placed') return decision;
    const openSince = open_since ?? now;
    const change = { account_id: account, fingerprint, open_since: openSince };
    await keys.startCall(tx, { keyDigest, attempt }, now + callLeaseMs(this.config), change);
    const sent = withCorrelationId(body, placementId);
    return { kind: 'call', keyDigest, attempt, placementId, body: sent, openSince, mayBePlaced: open_since !== null };
  }
}
