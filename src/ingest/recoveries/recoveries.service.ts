import { Injectable } from '@nestjs/common';
import { OrderListSync } from '../../labs/upstream-orders/order-list-sync.js';
import { AppError, orNotFound } from '../../platform/platform/errors.js';
import { decodeCursor, type Page, pageOf } from '../../platform/platform/paging.js';
import type { TimeRange } from '../../platform/platform/time.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { ListedPulls } from '../pulls/listed-pulls.service.js';
import { type PullTotals } from '../pulls/pull-tasks.reader.js';
import type { Estimate } from './estimate.js';
import type { RecoveryEntity } from './recovery.entity.js';
import { type NewRecovery, RecoveryRepository } from './recovery.repository.js';
import { RecoveryTelemetry } from './recovery.telemetry.js';
import { type RecoveryOptions, type RecoveryScope, RecoveryValidator } from './recovery-validator.js';

/** A recovery and the totals of its pulls, which are empty once it is done. */
export interface ShownRecovery {
  readonly row: RecoveryEntity;
  readonly totals: readonly PullTotals[];
}

export interface EstimatedRecovery {
  readonly scope: RecoveryScope;
  readonly estimate: Estimate;
}

/** The window of a recovery that has ended, and the names of its resources. */
export interface EndedRecovery extends TimeRange {
  readonly endedAt: number;
  readonly resources: readonly string[];
}

/** Makes up for an outage: pulls every account over its window, lists orders again and polls sources. */
@Injectable()
export class Recoveries {
  constructor(
    private readonly validator: RecoveryValidator,
    private readonly recoveries: RecoveryRepository,
    private readonly listedPulls: ListedPulls,
    private readonly orders: OrderListSync,
    private readonly lane: WriteLane,
    private readonly telemetry: RecoveryTelemetry,
  ) {}

  /** Estimates the cost without storing anything. Throws `invalid_request`. */
  async estimate(options: RecoveryOptions): Promise<EstimatedRecovery> {
    const scope = await this.validator.roughScopeOf(options);
    return { scope, estimate: await this.validator.estimate(scope) };
  }

  /** Stores a recovery, or returns an identical open one. Throws `invalid_request`. */
  async start(options: RecoveryOptions): Promise<ShownRecovery> {
    const scope = await this.validator.scopeOf(options);
    const recovery = newRecovery(scope);
    const { row, made } = await this.lane.run(async (tx) => {
      const inserted = await this.recoveries.insert(tx, recovery);
      if (inserted) await this.orders.startFrom(tx, scope.window.start, scope.now);
      return { row: inserted ?? (await this.recoveries.findOpen(tx, recovery)), made: inserted !== null };
    });
    if (!row)
      throw new AppError('conflict', 'An identical recovery has just finished; repeat the request to start a new one.');
    if (made) this.telemetry.started(row);
    return this.shown(row);
  }

  /** The windows of recoveries that have ended since a time, with the names of their resources. */
  async endedSince(time: number): Promise<EndedRecovery[]> {
    return (await this.recoveries.endedSince(time)).map(({ window_start, window_end, finished_at, resources }) => {
      return { start: window_start, end: window_end, endedAt: finished_at ?? 0, resources: resources.split(',') };
    });
  }

  /** Throws `not_found`. */
  async get(id: number): Promise<ShownRecovery> {
    const row = orNotFound(await this.recoveries.find(id), 'There is no such recovery.');
    return this.shown(row);
  }

  /** Newest first. */
  async list({ cursor, limit }: { cursor?: string; limit: number }): Promise<Page<ShownRecovery>> {
    const [beforeId] = cursor === undefined ? [Number.MAX_SAFE_INTEGER] : decodeCursor(cursor, ['number']);
    const page = pageOf(await this.recoveries.page(beforeId, limit + 1), limit, ({ id }) => [id]);
    return { ...page, data: await Promise.all(page.data.map((row) => this.shown(row))) };
  }

  private async shown(row: RecoveryEntity): Promise<ShownRecovery> {
    return { row, totals: row.state === 'done' ? [] : await this.listedPulls.totalsOfRecovery(row.id) };
  }
}

function newRecovery({ window, askedEnd, resources, affected, now }: RecoveryScope): NewRecovery {
  return {
    window_start: window.start,
    window_end: window.end,
    asked_end: askedEnd,
    resources: resources.join(','),
    accounts_total: affected.accounts,
    last_account: affected.lastAccount,
    pulls_expected: affected.pulledAccounts * resources.length,
    created_at: now,
  };
}
