import { Injectable } from '@nestjs/common';
import { UpstreamConfig } from '../config/config.js';
import type { Tx } from '../database/tx.js';
import { WriteLane } from '../database/write-lane.js';
import { ErasureGuard } from '../erasure-guard/erasure-guard.service.js';
import type { Observed } from '../orders/order-facts.js';
import { type Applied, OrdersService } from '../orders/orders.service.js';
import { Clock } from '../platform/clock.js';
import { newId } from '../platform/ids.js';
import type { WireOrder } from '../upstream/wire-orders.js';
import { digestOf, fingerprintOf } from './fingerprint.js';
import { decide, type IdempotencyDecision } from './idempotency.js';
import { type Attempt, OrderPlacementsRepository, type PlacementRow } from './order-placements.repository.js';

export interface PlacementRequest {
  readonly account: number;
  readonly idempotencyKey: string;
  /** As upstream would get it, but for our mark. */
  readonly body: unknown;
}

/** Either the right to call upstream once, or the order that was placed before. */
export type Claim = (Attempt & { readonly kind: 'call' }) | Extract<IdempotencyDecision, { kind: 'placed' }>;

/** The stored side of placing: each step is one transaction. The states are those of placing.service.ts. */
@Injectable()
export class PlacementSettlement {
  /** Attempts of this process that have not ended. */
  private readonly running = new Set<string>();

  constructor(
    private readonly placements: OrderPlacementsRepository,
    private readonly orders: OrdersService,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    private readonly config: UpstreamConfig,
    private readonly fence: ErasureGuard,
  ) {}

  /**
   * Stores the key before anything is called. Throws what `admit` throws, and `account_erased`. An attempt that was claimed must be ended by
   * `placed` or `failed`; `forget` it last.
   */
  async claim(wanted: PlacementRequest): Promise<Claim> {
    const [placementId, attempt] = [newId(), newId()];
    this.running.add(attempt);
    try {
      const claim = await this.lane.run((tx) => this.claimIn(tx, wanted, { placementId, attempt }));
      if (claim.kind !== 'call') this.forget(attempt);
      return claim;
    } catch (error) {
      this.forget(attempt);
      throw error;
    }
  }

  /** The pair of ids, what upstream says of the order, and the placement's end, together. */
  placed({ placementId }: Attempt, order: WireOrder, observed: Observed & { account: number }): Promise<Applied> {
    return this.lane.run(async (tx) => {
      const applied = await this.orders.applyOrder(tx, order, observed);
      if (!order.order_transaction) {
        await this.orders.applyIds(tx, { order_id: order.id, order_transaction_id: null }, observed);
      }
      const { account } = observed;
      await this.placements.placed(tx, { placementId, account, orderId: order.id, now: this.clock.now() });
      return applied;
    });
  }

  /** The id of the order if it has come by another way meanwhile. */
  failed(attempt: Attempt, failure: { settled: boolean; code: string }): Promise<string | null> {
    return this.lane.run(async (tx) => {
      await this.placements[failure.settled ? 'refused' : 'unknown'](tx, attempt, failure.code);
      return this.placements.orderOf(tx, attempt.placementId);
    });
  }

  forget(attempt: string): void {
    this.running.delete(attempt);
  }

  private async claimIn(tx: Tx, wanted: PlacementRequest, fresh: Attempt): Promise<Claim> {
    const now = this.clock.now();
    const { account, idempotencyKey } = wanted;
    await this.fence.assertWritable(tx, account);
    const keyDigest = digestOf(idempotencyKey);
    const row = await this.placements.lock(tx, { keyDigest, placementId: fresh.placementId, account, now });
    const { placement_id: placementId } = row;
    const fingerprint = fingerprintOf(wanted.body, { idempotencyKey, placementId });
    const admission = decide(row, { fingerprint, now, holderMayLive: this.mayLive(tx, row) });
    if (admission.kind === 'placed') return admission;
    // A call ends within the time of one try; as much again is for storing what it brought.
    const leaseUntil = now + 2 * this.config.timeoutMs;
    const { attempt } = fresh;
    await this.placements.startCall(tx, { placementId, attempt, account, fingerprint, now, leaseUntil });
    return { kind: 'call', placementId, attempt };
  }

  /** A SQLite file belongs to one process, so an attempt unknown here died with the one before. */
  private mayLive(tx: Tx, { lease_owner }: PlacementRow): boolean {
    return tx.dialect !== 'sqlite' || (lease_owner !== null && this.running.has(lease_owner));
  }
}
