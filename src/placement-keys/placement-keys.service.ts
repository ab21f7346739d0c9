import { Injectable } from '@nestjs/common';
import { UpstreamConfig } from '../config/config.js';
import type { Tx } from '../database/tx.js';
import { WriteLane } from '../database/write-lane.js';
import { ErasureGuard } from '../erasure-guard/erasure-guard.service.js';
import { digestOf, fingerprintOf } from '../http/idempotency-key.js';
import { Clock } from '../platform/clock.js';
import { newId } from '../platform/ids.js';
import type { WireOrder } from '../upstream/wire-orders.js';
import { isCarriedBy, placementOf, withCorrelationId } from './correlation-id.js';
import { decide, type IdempotencyDecision } from './idempotency.js';
import { type Attempt, OrderPlacementsRepository, type PlacementRow } from './order-placements.repository.js';

export type { Attempt } from './order-placements.repository.js';

type OrderBody = Readonly<Record<string, unknown>>;

export interface PlacementRequest {
  readonly account: number;
  readonly idempotencyKey: string;
  /** As upstream would get it, but for our correlation id. */
  readonly body: OrderBody;
}

/** The right to call upstream once, with this body. */
export interface CallClaim extends Attempt {
  readonly kind: 'call';
  readonly body: OrderBody;
  /** When the first call whose outcome is unknown began; now, if this is the first. */
  readonly openSince: number;
  /** An earlier call may have placed the order. */
  readonly mayBePlaced: boolean;
}

/** Either the right to call, or the order that was placed before. */
export type Claim = CallClaim | Extract<IdempotencyDecision, { kind: 'placed' }>;

/**
 * One row for each idempotency key of an operator: what is known about the order placed under it. Its states, and what
 * a crash leaves, are described in placing.service.ts. Each step is one database transaction.
 */
@Injectable()
export class PlacementKeys {
  /** Attempts of this process that have not ended. */
  private readonly running = new Set<string>();

  constructor(
    private readonly placements: OrderPlacementsRepository,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    private readonly config: UpstreamConfig,
    private readonly guard: ErasureGuard,
  ) {}

  /**
   * Stores the key before anything is called. Throws what `decide` throws, and `account_erased`. An attempt that was
   * claimed must be ended by `placed` or `failed`, and then by `forget`.
   */
  async claim(request: PlacementRequest): Promise<Claim> {
    const [placementId, attempt] = [newId(), newId()];
    this.running.add(attempt);
    try {
      const claim = await this.lane.run((tx) => this.claimIn(tx, request, { placementId, attempt }));
      if (claim.kind !== 'call') this.forget(attempt);
      return claim;
    } catch (error) {
      this.forget(attempt);
      throw error;
    }
  }

  /** The attempt placed this order. Belongs into the database transaction that stores the order. */
  async placed(tx: Tx, { placementId }: Attempt, order: { id: string; account: number }): Promise<void> {
    const { id: orderId, account } = order;
    await this.placements.placed(tx, { placementId, account, orderId, now: this.clock.now() });
  }

  /** Settles the placement whose correlation id the order carries, whichever way the order came. */
  async settle(tx: Tx, order: WireOrder, observed: { account: number | null; observedAt: number }): Promise<void> {
    const placementId = placementOf(order);
    const { account, observedAt: now } = observed;
    if (placementId === null || account === null) return;
    await this.placements.placed(tx, { placementId, account, orderId: order.id, now });
  }

  /** Answers the id of the order if it has come by another way meanwhile. */
  failed(attempt: Attempt, failure: { settled: boolean; code: string }): Promise<string | null> {
    return this.lane.run(async (tx) => {
      await this.placements[failure.settled ? 'refused' : 'unknown'](tx, attempt, failure.code);
      return this.placements.orderOf(tx, attempt.placementId);
    });
  }

  /** Those of these orders that the claim may have placed: they carry what it sent, and no other key placed them. */
  async placedUnder(claim: CallClaim, orders: readonly WireOrder[]): Promise<WireOrder[]> {
    const carrying = orders.filter((order) => isCarriedBy(order, claim));
    const ids = carrying.map(({ id }) => id);
    const others = await this.placements.placedByOthers(claim.placementId, ids);
    return carrying.filter(({ id }) => !others.has(id));
  }

  forget(attempt: string): void {
    this.running.delete(attempt);
  }

  /** Keys that may or may not have placed an order, with no call under way that would settle it. */
  countUnresolved(): Promise<number> {
    return this.placements.countUnresolved(this.clock.now());
  }

  private async claimIn(tx: Tx, request: PlacementRequest, fresh: Attempt): Promise<Claim> {
    const now = this.clock.now();
    const { account, idempotencyKey, body } = request;
    await this.guard.assertWritable(tx, account);
    const keyDigest = digestOf(idempotencyKey);
    const row = await this.placements.lock(tx, { keyDigest, placementId: fresh.placementId, account, now });
    const { placement_id: placementId } = row;
    const fingerprint = fingerprintOf(body, { idempotencyKey, salt: placementId });
    const decision = decide(row, { fingerprint, now, holderMayLive: this.mayLive(tx, row) });
    if (decision.kind === 'placed') return decision;
    // The call and a look before and after it take one try's time each; as much again is for storing what they brought.
    const leaseUntil = now + 4 * this.config.timeoutMs;
    const { attempt } = fresh;
    await this.placements.startCall(tx, { placementId, attempt, account, fingerprint, now, leaseUntil });
    const sent = withCorrelationId(body, placementId);
    const { open_since } = row;
    return {
      kind: 'call',
      placementId,
      attempt,
      body: sent,
      openSince: open_since ?? now,
      mayBePlaced: open_since !== null,
    };
  }

  /** A SQLite file belongs to one process, so an attempt unknown here died with the one before. */
  private mayLive(tx: Tx, { lease_owner }: PlacementRow): boolean {
    return tx.dialect !== 'sqlite' || (lease_owner !== null && this.running.has(lease_owner));
  }
}
