import { Injectable } from '@nestjs/common';
import { callInProgress } from '../../http/server/idempotency-key.js';
import { Clock } from '../../platform/platform/clock.js';
import { AppError } from '../../platform/platform/errors.js';
import type { Tx } from '../../storage/database/tx.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { inputRefusal, sameNames } from '../../upstream/client/input-refusal.js';
import { UnmatchedResultsClient } from '../../upstream/client/unmatched-results.client.js';
import type { WireOrder } from '../../upstream/client/wire-orders.js';
import type { WireAcceptance, WireResolution } from '../../upstream/client/wire-unmatched-results.js';
import { interactive } from '../../upstream/transport/call.js';
import { UpstreamError } from '../../upstream/transport/upstream-error.js';
import type { CallKind } from '../keys/call-kind.js';
import { type Failure, outcomeUnknown } from '../keys/failure.js';
import { type CallClaim, type Claim, IdempotencyKeys } from '../keys/idempotency-keys.service.js';
import { OrdersApply, type Reported } from '../orders/orders-apply.service.js';
import { OrderOwners } from '../upstream-orders/order-owners.js';
import { type AttachedOrder, type UnmatchedResult, UnmatchedResults } from './unmatched-results.service.js';
import { UnmatchedResultsTelemetry } from './unmatched-results.telemetry.js';

/*
 * Decides about an unmatched result at upstream, at most once per idempotency key of a caller (table
 * idempotency_keys). Upstream takes no key but accepts only one decision; it returns 404 for a second one.
 *
 *   (no row) --key stored-->       calling
 *   calling  --success-->          done     the order in the response and this state are stored in one transaction
 *   calling  --refused-->          refused  400, 404 or 422 from upstream itself; the item is read again
 *   calling  --anything else-->    unknown  timeout, 5xx, lost or unreadable response, and the item still waits or
 *                                           cannot be read; or 429, our key refused
 *   calling  --lease expires-->    (as unknown)
 *   unknown  --same body again-->  calling  reads the item first. If it no longer waits, nothing is sent; the key is
 *                                           done, or refused if another key has decided since
 *   refused  --any body-->         calling
 *   done     --same body again-->  done     returned from the database, without a call
 *
 * If the response to an acceptance is lost, the order is found later, by the event of the decision
 * (`resolved_order_id`) and the order list.
 */

export type Decision =
  | { readonly kind: 'accept'; readonly body: WireAcceptance }
  | { readonly kind: 'resolve'; readonly body: WireResolution };

export interface DecisionRequest {
  readonly id: string;
  readonly decision: Decision;
  readonly idempotencyKey: string;
}

const deciding: CallKind = {
  subject: 'decision',
  reused: 'request',
  inProgress: () => callInProgress('conflict', 'A decision about this result is being made'),
};

export interface Decided extends UnmatchedResult {
  /** True if returned from the database without a call. */
  readonly replayed: boolean;
}

@Injectable()
export class DecidingService {
  constructor(
    private readonly unmatched: UnmatchedResults,
    private readonly client: UnmatchedResultsClient,
    private readonly keys: IdempotencyKeys,
    private readonly owners: OrderOwners,
    private readonly ordersApply: OrdersApply,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    private readonly telemetry: UnmatchedResultsTelemetry,
  ) {}

  /**
   * Makes a decision and returns the result after it. Throws `not_found`; `idempotency_key_reused`; `conflict` while
   * another decision is being made, or if the result no longer waits; `upstream_invalid_request` if upstream refuses
   * the decision; and `UpstreamError`, or an error with its code, if the outcome is unknown and the same request may be
   * repeated.
   */
  async decide(request: DecisionRequest): Promise<Decided> {
    const { id } = request;
    await this.unmatched.get(id);
    const claim = await this.claim(request);
    if (claim.kind === 'done') {
      this.telemetry.decided(id, 'repeated');
      return { ...(await this.unmatched.get(id)), replayed: true };
    }
    try {
      return await this.decideAs(claim, request);
    } finally {
      this.keys.forget(claim);
    }
  }

  private claim({ id, decision, idempotencyKey }: DecisionRequest): Promise<Claim> {
    return this.keys.claim(deciding, idempotencyKey, async (tx) => {
      // Lock the result so that two keys cannot both find it free.
      await this.unmatched.lock(tx, id, this.clock.now());
      return { account: null, objectId: id, content: { id, decision } };
    });
  }

  private async decideAs(claim: CallClaim, request: DecisionRequest): Promise<Decided> {
    const { id } = request;
    const observedAt = this.clock.now();
    try {
      if (claim.isRepeat && (await this.isDecided(id))) {
        if (await this.keys.isDoneByAnother(claim)) throw noLongerWaits();
        return await this.settled(claim, id);
      }
      const order = await this.send(request);
      await this.store(claim, id, order, observedAt);
    } catch (error) {
      return this.failed(claim, id, error);
    }
    this.telemetry.decided(id, request.decision.kind === 'accept' ? 'accepted' : 'resolved');
    // If this fails, the worker reads the item later, as requested in the transaction of the decision.
    await this.unmatched.readAgain(id, interactive).catch(nullIfUpstream);
    return { ...(await this.unmatched.get(id)), replayed: false };
  }

  private async send({ id, decision }: DecisionRequest): Promise<WireOrder | null> {
    if (decision.kind === 'accept') return this.client.accept(id, decision.body, interactive);
    await this.client.resolve(id, decision.body, interactive);
    return null;
  }

  /**
   * Stores the order from the response, regardless of its owner. An order without account or transaction is read again.
   */
  private async store(claim: CallClaim, id: string, order: WireOrder | null, observedAt: number): Promise<void> {
    const account = order && (await this.owners.find(order.user_id, interactive).catch(nullIfUpstream));
    await this.lane.run(async (tx) => {
      await this.keys.done(tx, claim, id);
      const attached = order && (await this.attach(tx, order, { account, observedAt, source: 'operator' }));
      await this.unmatched.decided(tx, id, attached, observedAt);
    });
  }

  /** Stores an order and returns its ids; null if its person was or is being erased. */
  private async attach(tx: Tx, order: WireOrder, reported: Reported): Promise<AttachedOrder | null> {
    if (!(await this.ordersApply.applyOrder(tx, order, reported))) return null;
    const { account } = reported;
    const ids = { order_id: order.id, order_transaction_id: order.order_transaction?.id ?? null };
    if (ids.order_transaction_id === null || account === null) await this.ordersApply.applyIds(tx, ids, reported);
    return { ...ids, account };
  }

  /** Reads the item from upstream; true if it no longer waits for a decision. */
  private async isDecided(id: string): Promise<boolean> {
    return (await this.unmatched.readAgain(id, interactive)).result.waiting === 0;
  }

  private async settled(claim: CallClaim, id: string): Promise<Decided> {
    await this.lane.run((tx) => this.keys.done(tx, claim, id));
    this.telemetry.decided(id, 'already_decided');
    return { ...(await this.unmatched.get(id)), replayed: false };
  }

  private async failed(claim: CallClaim, id: string, thrown: unknown): Promise<Decided> {
    const failure = await this.meaningOf(id, thrown);
    if (failure === null) return this.settled(claim, id);
    await this.keys.failed(claim, failure);
    this.telemetry.failed(id, failure);
    throw failure.error;
  }

  /** Consequence of a failure for the key; null if the decision was made after all. */
  private async meaningOf(id: string, thrown: unknown): Promise<Failure | null> {
    if (thrown instanceof AppError) return { settled: thrown.code === 'conflict', error: thrown };
    if (!(thrown instanceof UpstreamError)) return { settled: false, error: thrown };
    if (thrown.isVerdict) {
      await this.unmatched.readAgain(id, interactive, thrown.isNotFound).catch(nullIfUpstream);
      return { settled: true, error: refused(thrown) };
    }
    if (!thrown.mayHaveWorked) return { settled: false, error: thrown };
    const isDecided = await this.isDecided(id).catch(() => false);
    return isDecided ? null : { settled: false, error: outcomeUnknown(thrown, unknown) };
  }
}

const sent = sameNames('user_id order_id note action');
const unknown = 'It is unknown whether the decision was made. Repeat the request with the same key and body.';

function refused(error: UpstreamError): AppError {
  if (error.isNotFound) return noLongerWaits(error);
  const message =
    'Upstream does not accept this decision; nothing was changed. Choose one of allowed_actions, and name an order of ' +
    'the candidates unless there is only one.';
  return inputRefusal(error, sent, message);
}

function noLongerWaits(cause?: UpstreamError): AppError {
  const message = 'This result no longer waits for a decision; its stored state was refreshed.';
  return new AppError('conflict', message, { cause });
}

function nullIfUpstream(error: unknown): null {
  if (!(error instanceof UpstreamError)) throw error;
  return null;
}
