import { Injectable } from '@nestjs/common';
import { AccountsService } from '../../accounts/accounts/accounts.service.js';
import { isErased, isWritable } from '../../accounts/erasure-guard/open-accounts.js';
import { Clock } from '../../platform/platform/clock.js';
import { orNotFound } from '../../platform/platform/errors.js';
import { decodeCursor, type Page, pageOf } from '../../platform/platform/paging.js';
import { parseUtcInstant, unlessAhead } from '../../platform/platform/time.js';
import type { Tx } from '../../storage/database/tx.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { UnmatchedResultsClient } from '../../upstream/client/unmatched-results.client.js';
import type {
  WireCandidate,
  WireMatchReview,
  WireUnmatchedResult,
} from '../../upstream/client/wire-unmatched-results.js';
import type { CallOptions } from '../../upstream/transport/call.js';
import { criticalFindings } from '../orders/critical-findings.js';
import { OrdersService } from '../orders/orders.service.js';
import {
  type CandidateRow,
  type OwnedCandidate,
  type OwnedResult,
  type ResultFilter,
  type UnmatchedResultRow,
  UnmatchedResultsRepository,
} from './unmatched-results.repository.js';

export interface UnmatchedResult {
  readonly result: OwnedResult;
  readonly candidates: readonly OwnedCandidate[];
}

export interface ReadUnmatchedResult extends UnmatchedResult {
  /** The item as upstream sent it for this request; null if upstream no longer returns it. */
  readonly content: WireUnmatchedResult | null;
}

/** The order to which a result was attached. */
export interface AttachedOrder {
  readonly order_id: string;
  readonly order_transaction_id: string | null;
  /** `accounts.id` of the order's user; null if the user has no account. */
  readonly account: number | null;
}

/** An item and the accounts of its candidates, by upstream user id. */
export interface OwnedItem {
  readonly item: WireUnmatchedResult;
  readonly accounts: ReadonlyMap<string, number>;
}

/**
 * Results that upstream could not attach to an order. An event announces a result and requests a read of it; the list
 * finds results whose event was lost. Each `apply` is idempotent. Rows have only codes and ids; the content is passed
 * through.
 */
@Injectable()
export class UnmatchedResults {
  constructor(
    private readonly results: UnmatchedResultsRepository,
    private readonly client: UnmatchedResultsClient,
    private readonly accounts: AccountsService,
    private readonly orders: OrdersService,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
  ) {}

  /**
   * Applies the `data` of `labtest.match_review.*`, received at `at`, and requests a read of the item, because the
   * event is only a notification. Events may arrive in any order; the read corrects what an old one reported.
   */
  async applyReview(
    tx: Tx,
    review: WireMatchReview,
    { account, at }: { account: number | null; at: number },
  ): Promise<void> {
    const { resolved_order_id: orderId } = review;
    // Always lock orders before results.
    const owner = orderId === null ? null : await this.orders.lockOwner(tx, { scope: 'order', id: orderId });
    const row = await this.lock(tx, review.id, at);
    const reported = {
      status: review.status,
      decision_code: review.decision_code ?? row.decision_code,
      sub_reason_codes: JSON.stringify(review.sub_reason_codes),
      observed_at: at,
      gone_at: null,
    };
    await this.results.save(tx, row.id, {
      ...(at >= row.observed_at ? reported : {}),
      ...(row.order_id === null && orderId !== null ? { order_id: orderId } : {}),
      account_id: (row.order_id === null || row.order_id === orderId ? owner : null) ?? row.account_id ?? account,
      ...dueAt(at),
    });
  }

  /** Applies an item as upstream returned it at `observedAt`. */
  async applyItem(tx: Tx, { item, accounts }: OwnedItem, observedAt: number): Promise<void> {
    const row = await this.lock(tx, item.id.toLowerCase(), observedAt);
    if (observedAt < row.read_at) return;
    const version = parseUtcInstant(item.updated_at) ?? 0;
    await this.results.save(tx, row.id, {
      status: item.status,
      decision_code: item.decision_code,
      sub_reason_codes: JSON.stringify(item.sub_reason_codes),
      allowed_actions: JSON.stringify(item.allowed_actions),
      lab_slug: item.lab_slug,
      result_status: item.result_status,
      is_critical: criticalFindings({ results: item.markers, interpretation: item.interpretation }).length > 0 ? 1 : 0,
      created_at: parseUtcInstant(item.created_at) ?? row.created_at,
      version,
      observed_at: Math.max(observedAt, row.observed_at),
      read_at: observedAt,
      gone_at: null,
      // If an event arrived after this read began, the item stays due.
      ...(observedAt >= row.observed_at ? settled : {}),
    });
    const candidates: CandidateRow[] = [];
    for (const [position, candidate] of item.candidates.entries()) {
      const account = accounts.get(candidate.user_id ?? '') ?? null;
      if (!(await this.mayBeStored(tx, candidate, account))) continue;
      candidates.push({ unmatched_result_id: row.id, position, account_id: account, ...candidate });
    }
    await this.results.saveCandidates(tx, row.id, candidates);
  }

  /** Marks a result that upstream no longer returned at `observedAt` as gone. */
  async gone(tx: Tx, id: string, observedAt: number): Promise<void> {
    const row = await this.lock(tx, id, observedAt);
    if (observedAt < row.observed_at) return;
    await this.results.save(tx, id, { gone_at: observedAt, observed_at: observedAt, ...settled });
  }

  /** Records a decision, and the order to which it attached the result. Requests a read of the item. */
  async decided(tx: Tx, id: string, order: AttachedOrder | null, at: number): Promise<void> {
    const row = await this.lock(tx, id, at);
    const ids = order && {
      order_id: order.order_id,
      order_transaction_id: order.order_transaction_id,
      account_id: order.account ?? row.account_id,
    };
    await this.results.save(tx, id, { ...ids, ...dueAt(at) });
  }

  /**
   * Reads an item from upstream and stores it. `content` is null if upstream does not return it; it then counts as gone
   * if it was read before, or with `isAnswered`. Throws `not_found` and `UpstreamError`.
   */
  async readAgain(id: string, options: CallOptions, isAnswered = false): Promise<ReadUnmatchedResult> {
    const { result } = await this.get(id);
    const observedAt = this.clock.now();
    const content = await this.client.find(id, options);
    await this.lane.run(async (tx) => {
      for (const item of await this.owned(content === null ? [] : [content]))
        await this.applyItem(tx, item, observedAt);
      if (content === null && (isAnswered || result.read_at !== null)) await this.gone(tx, id, observedAt);
    });
    return { ...(await this.get(id)), content };
  }

  /** Locks the row. Its times are those to compare with; times in the future count as unknown. */
  async lock(tx: Tx, id: string, at: number): Promise<UnmatchedResultRow & { readonly read_at: number }> {
    const row = await this.results.lock(tx, id, at);
    const { now } = tx;
    return { ...row, observed_at: unlessAhead(row.observed_at, now), read_at: unlessAhead(row.read_at ?? 0, now) };
  }

  /** False for a candidate who was or is being erased. */
  private async mayBeStored(tx: Tx, { user_id }: WireCandidate, account: number | null): Promise<boolean> {
    if (account !== null) return isWritable(tx, account);
    return user_id === null || !(await isErased(tx, user_id));
  }

  /** The items and the known accounts of their candidates. */
  async owned(items: readonly WireUnmatchedResult[]): Promise<OwnedItem[]> {
    const users = items.flatMap(({ candidates }) => candidates.flatMap(({ user_id }) => user_id ?? []));
    const owners = await this.accounts.ownersOf(users);
    const accounts = new Map([...owners].map(([user, { id }]) => [user, id]));
    return items.map((item) => ({ item, accounts }));
  }

  /** Throws `not_found`. */
  async get(id: string): Promise<UnmatchedResult> {
    const result = orNotFound(await this.results.find(id), 'There is no such unmatched result.');
    return { result, candidates: await this.results.candidates(id) };
  }

  async list({
    cursor,
    ...filter
  }: Omit<ResultFilter, 'after'> & { cursor?: string | undefined }): Promise<Page<OwnedResult>> {
    const after = cursor === undefined ? null : decodeCursor(cursor, ['number', 'string']);
    const rows = await this.results.page({ ...filter, after, limit: filter.limit + 1 });
    return pageOf(rows, filter.limit, ({ created_at, id }) => [created_at, id]);
  }
}

const settled: Partial<UnmatchedResultRow> = { due_at: null, attempts: 0, waits: 0, error_code: null };

function dueAt(at: number): Partial<UnmatchedResultRow> {
  return { due_at: at, attempts: 0, waits: 0 };
}
