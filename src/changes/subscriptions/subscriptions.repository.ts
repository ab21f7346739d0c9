import { Injectable } from '@nestjs/common';
import { externalIdOf } from '../../accounts/accounts/account-sql.js';
import { newestOfFeed } from '../../storage/change-log/change-log.declarations.js';
import { Conditions } from '../../storage/database/conditions.js';
import { assignments, type SqlInput } from '../../storage/database/dialect.js';
import { Reader } from '../../storage/database/reader.js';
import type { Queryable, Tx } from '../../storage/database/tx.js';
import { LeasedRows, type Restriction } from '../../storage/work/leased-rows.js';
import { SubscriptionEntity } from './subscription.entity.js';

export type SubscriptionRow = SubscriptionEntity;
/** With the customer's id of its account, the number of parked accounts, and the newest number of the feed. */
export type ShownSubscription = SubscriptionRow & {
  readonly external_id: string | null;
  readonly parked: number;
  readonly newest: number;
};

const shown = `SELECT s.*, ${externalIdOf('s.account_id')} AS external_id, ${newestOfFeed.number} AS newest,
    (SELECT COUNT(*) FROM subscription_lanes l WHERE l.subscription_id = s.id) AS parked
  FROM subscriptions s`;

@Injectable()
export class SubscriptionsRepository {
  readonly rows = new LeasedRows(SubscriptionEntity);
  /** Endpoints that are behind the newest change or belong to another feed. */
  readonly behind: Restriction = {
    where: `(subscriptions.number < ${newestOfFeed.number} OR subscriptions.feed <> ${newestOfFeed.id})`,
    values: [],
  };

  constructor(private readonly reader: Reader) {}

  async insert(tx: Tx, row: SubscriptionRow): Promise<void> {
    await tx.orm.insert(SubscriptionEntity, row);
  }

  find(id: string): Promise<ShownSubscription | null> {
    return this.reader.row(`${shown} WHERE s.id = ?`, [id]);
  }

  page(after: string | undefined, limit: number): Promise<ShownSubscription[]> {
    const conditions = new Conditions().add('s.id > ?', after);
    return this.reader.rows(`${shown} ${conditions.where} ORDER BY s.id LIMIT ?`, [...conditions.values, limit]);
  }

  /** True if an endpoint that is behind is due. */
  anyBehind(now: number): Promise<boolean> {
    return this.rows.anyDue(this.reader, now, this.behind);
  }

  async get(queryable: Queryable, id: string): Promise<SubscriptionRow | null> {
    const [row] = await queryable.few<SubscriptionRow>('SELECT * FROM subscriptions WHERE id = ?', [id]);
    return row ?? null;
  }

  /** False if the subscription has another URL, or no longer exists. */
  async hasAddress(tx: Tx, id: string, url: string): Promise<boolean> {
    return (await this.get(tx, id))?.url === url;
  }

  /** Applies a change by an operator and ends the lease of a process that is sending. False if there is no such row. */
  async change(tx: Tx, id: string, change: Partial<SubscriptionRow>): Promise<boolean> {
    const { set, values } = assignments({
      ...(change as Record<string, SqlInput>),
      lease_owner: null,
      lease_until: null,
    });
    return (await tx.execute(`UPDATE subscriptions ${set} WHERE id = ?`, [...values, id])) > 0;
  }

  /** Prevents pushes to an active endpoint before `until`. */
  async pause(tx: Tx, id: string, until: number): Promise<void> {
    const sql = `UPDATE subscriptions SET due_at = ? WHERE id = ? AND state = 'active' AND due_at < ?`;
    await tx.execute(sql, [until, id, until]);
  }

  /** Retention deletes its pushes later. False if there is no such subscription. */
  async delete(tx: Tx, id: string): Promise<boolean> {
    await tx.execute('DELETE FROM subscription_lanes WHERE subscription_id = ?', [id]);
    return (await tx.execute('DELETE FROM subscriptions WHERE id = ?', [id])) > 0;
  }
}
