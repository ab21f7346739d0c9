import { Injectable } from '@nestjs/common';
import { accountIdOfExternalId, externalIdOf } from '../../accounts/accounts/account-sql.js';
import { newestOfFeed } from '../../storage/change-log/change-log.declarations.js';
import { type EntityShape, shapeOf } from '../../storage/database/columns.js';
import { Conditions } from '../../storage/database/conditions.js';
import { filledUp, placeholders } from '../../storage/database/dialect.js';
import { Reader } from '../../storage/database/reader.js';
import { saveRows } from '../../storage/database/rows.js';
import type { BulkShape, Tx } from '../../storage/database/tx.js';
import { heldBy, LeasedRows, type Restriction } from '../../storage/work/leased-rows.js';
import { PushEntity, type PushState, SubscriptionLaneEntity } from './subscription.entity.js';

export type PushRow = PushEntity;
export type NewPush = Omit<PushRow, 'id'>;
export type LaneRow = SubscriptionLaneEntity;
/** With the customer's id of the account. */
export type ShownPush = PushRow & { readonly external_id: string | null };

export interface PushFilter {
  readonly subscription: string;
  readonly state?: PushState | undefined;
  readonly kind?: string | undefined;
  readonly accountId?: string | undefined;
  readonly start?: number | undefined;
  readonly end?: number | undefined;
}

const pushes: EntityShape<NewPush> = {
  ...shapeOf<NewPush>(PushEntity),
  conflict: ['subscription_id', 'number'],
  // After a restore, the feed has another id, and so have its changes.
  update: [
    ...(['change_id', 'state', 'round', 'attempts', 'status', 'error_code', 'duration_ms', 'waiting_since'] as const),
    'attempted_at',
  ],
};

function lanes(update: string): BulkShape {
  return {
    ...shapeOf(SubscriptionLaneEntity, ['subscription_id', 'account_id', 'created_at', 'due_at', 'attempts', 'waits']),
    update: [update],
  };
}
/** An update without effect locks the row, so that the lane cannot end while pushes are added to it. */
const kept = lanes('subscription_id');
const due = lanes('due_at');

@Injectable()
export class PushesRepository {
  readonly lanes = new LeasedRows(SubscriptionLaneEntity);
  /** Lanes of active endpoints of this feed that are not failing. */
  readonly served: Restriction = {
    where: `EXISTS (SELECT 1 FROM subscriptions s WHERE s.id = subscription_lanes.subscription_id
      AND s.state = 'active' AND s.failing_since IS NULL AND s.feed = ${newestOfFeed.id})`,
    values: [],
  };

  constructor(private readonly reader: Reader) {}

  /** Numbers recorded in a round, from `after` (exclusive) to `upTo` (inclusive). */
  async recorded(subscription: string, after: number, upTo: number, round: number): Promise<Set<number>> {
    const rows = await this.reader.few<{ number: number }>(
      'SELECT number FROM pushes WHERE subscription_id = ? AND number > ? AND number <= ? AND round = ?',
      [subscription, after, upTo, round],
    );
    return new Set(rows.map(({ number }) => number));
  }

  /** The accounts among these that wait. */
  async blocked(subscription: string, accounts: readonly number[]): Promise<Set<number>> {
    if (accounts.length === 0) return new Set();
    const wanted = filledUp([...new Set(accounts)]);
    const rows = await this.reader.few<{ account_id: number }>(
      `SELECT account_id FROM subscription_lanes WHERE subscription_id = ? AND account_id IN (${placeholders(wanted.length)})`,
      [subscription, ...wanted],
    );
    return new Set(rows.map(({ account_id }) => account_id));
  }

  async record(tx: Tx, rows: readonly NewPush[]): Promise<void> {
    if (rows.length === 0) return;
    await saveRows(tx, pushes, rows);
  }

  /** Parks accounts until `dueAt`. One that already waits keeps its due time, unless `isDue`. */
  async wait(
    tx: Tx,
    subscription: string,
    accounts: readonly { readonly account: number; readonly dueAt: number }[],
    { now, isDue = false }: { now: number; isDue?: boolean },
  ): Promise<void> {
    if (accounts.length === 0) return;
    const sorted = [...accounts].sort((a, b) => a.account - b.account);
    const values = sorted.flatMap(({ account, dueAt }) => [subscription, account, now, dueAt, 0, 0]);
    await tx.bulk(isDue ? due : kept, values);
  }

  /** The waiting pushes of a lane, in order of the feed. */
  waiting(lane: LaneRow, limit: number): Promise<PushRow[]> {
    return this.reader.rows(
      `SELECT * FROM pushes WHERE subscription_id = ? AND account_id = ? AND state = 'waiting' ORDER BY number LIMIT ?`,
      [lane.subscription_id, lane.account_id, limit],
    );
  }

  async anyWaiting(tx: Tx, lane: LaneRow): Promise<boolean> {
    const rows = await tx.rows(
      `SELECT 1 AS waiting FROM pushes WHERE subscription_id = ? AND account_id = ? AND state = 'waiting' LIMIT 1`,
      [lane.subscription_id, lane.account_id],
    );
    return rows.length > 0;
  }

  /** Gives up pushes of a lane that have waited since `before` or longer; returns their number. */
  giveUp(tx: Tx, lane: LaneRow, before: number): Promise<number> {
    return tx.execute(
      `UPDATE pushes SET state = 'given_up' WHERE subscription_id = ? AND account_id = ? AND state = 'waiting'
       AND waiting_since <= ?`,
      [lane.subscription_id, lane.account_id, before],
    );
  }

  /** Deletes a held lane. Call it in the transaction that checked that nothing waits. */
  async endLane(tx: Tx, lane: LaneRow): Promise<void> {
    await tx.execute(`DELETE FROM subscription_lanes WHERE subscription_id = ? AND account_id = ? AND ${heldBy}`, [
      lane.subscription_id,
      lane.account_id,
      lane.lease_owner,
    ]);
  }

  find(subscription: string, changeId: string): Promise<ShownPush | null> {
    const sql = `SELECT p.*, ${externalIdOf('p.account_id')} AS external_id FROM pushes p
      WHERE p.subscription_id = ? AND p.change_id = ?`;
    return this.reader.row(sql, [subscription, changeId]);
  }

  /** Newest first. */
  page(filter: PushFilter, before: number | undefined, limit: number): Promise<ShownPush[]> {
    const conditions = conditionsOf(filter).add('p.number < ?', before);
    const sql = `SELECT p.*, ${externalIdOf('p.account_id')} AS external_id FROM pushes p`;
    return this.reader.rows(`${sql} ${conditions.where} ORDER BY p.number DESC LIMIT ?`, [...conditions.values, limit]);
  }

  /** Ended pushes after a number, oldest first. */
  ended(filter: PushFilter, after: number, limit: number): Promise<Pick<PushRow, 'id' | 'number' | 'account_id'>[]> {
    const conditions = conditionsOf(filter).add('p.number > ?', after);
    return this.reader.rows(
      `SELECT p.id, p.number, p.account_id FROM pushes p ${conditions.where} AND p.state <> 'waiting'
       ORDER BY p.number LIMIT ?`,
      [...conditions.values, limit],
    );
  }

  /** Makes ended pushes wait again, from now on. */
  async sendAgain(tx: Tx, ids: readonly number[], now: number): Promise<void> {
    const some = filledUp(ids);
    await tx.execute(
      `UPDATE pushes SET state = 'waiting', attempts = 0, waiting_since = ? WHERE id IN (${placeholders(some.length)})`,
      [now, ...some],
    );
  }
}

function conditionsOf({ subscription, state, kind, accountId, start, end }: PushFilter): Conditions {
  return new Conditions()
    .add('p.subscription_id = ?', subscription)
    .add('p.state = ?', state)
    .add('p.kind = ?', kind)
    .add(`p.account_id = ${accountIdOfExternalId}`, accountId)
    .add('p.created_at >= ?', start)
    .add('p.created_at < ?', end);
}
