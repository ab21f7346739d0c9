import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { newLogRef } from '../../platform/platform/ids.js';
import { Log } from '../../platform/platform/log.js';
import { noteAnswers } from '../../storage/change-log/note-changes.js';
import { filledUp, placeholders, type SqlInput } from '../../storage/database/dialect.js';
import { Reader } from '../../storage/database/reader.js';
import type { Queryable, Tx } from '../../storage/database/tx.js';
import { FIRST_ACCOUNT_RETRY_MS, MAX_ACCOUNT_RETRY_MS } from '../erasure-guard/tuning.js';
import {
  type AccountEntity,
  type FormerTimeZoneEntity,
  type KeptOfUser,
  keptColumns,
  keptValues,
} from './account.entity.js';
import { noteAccounts } from './account-changes.js';
import { fromPullableAccounts } from './account-sql.js';
import { type Fallbacks, zoneBeganAt } from './fallbacks.js';

/**
 * Owner of a user; `user_gone_at` is null while upstream is believed to have the user. `replaced_at`: when another user
 * replaced this one; null or missing for the present one.
 */
export type AccountOwner = Pick<AccountEntity, 'id' | 'account_id' | 'status' | 'user_gone_at'> & {
  readonly replaced_at?: number | null;
};

export interface Mapping {
  /** Upstream's client user id. */
  name: string;
  /** Lower case. */
  userId: string;
  kept: KeptOfUser;
  now: number;
}

/** A zone of an account until a time in epoch milliseconds, exclusive. */
export type FormerZone = Pick<FormerTimeZoneEntity, 'until' | 'time_zone'>;

const setFallbacks = 'fallback_time_zone_set_at = ?, fallback_birth_date_set_at = ?';
const setKept = keptColumns.map((name) => `${name} = ?`).join(', ');
const blankKept = keptColumns.map((name) => `${name} = NULL`).join(', ');

/** The delay between attempts equals the time since the first one: one minute, two, four, and at most six hours. */
const pendingDue = `status = 'pending' AND ? >= updated_at + CASE
  WHEN updated_at - created_at < ${FIRST_ACCOUNT_RETRY_MS} THEN ${FIRST_ACCOUNT_RETRY_MS}
  WHEN updated_at - created_at > ${MAX_ACCOUNT_RETRY_MS} THEN ${MAX_ACCOUNT_RETRY_MS}
  ELSE updated_at - created_at END`;

const isUnrenamed = `pseudonym_at IS NULL AND upstream_user_id IS NOT NULL AND user_gone_at IS NULL AND status <> 'erasing'`;

/**
 * The tables accounts and former_upstream_users. An `upstream_user_id` is written once, and replaced only if that user
 * is gone (relinking.service.ts).
 */
@Injectable()
export class AccountsRepository {
  constructor(
    private readonly reader: Reader,
    private readonly log: Log,
  ) {}

  find(accountId: string): Promise<AccountEntity | null> {
    return this.one('SELECT * FROM accounts WHERE account_id = ?', [accountId]);
  }

  /** Finds an account by upstream's `client_user_id`: its pseudonym or the customer's id. */
  findByUpstreamName(name: string): Promise<AccountEntity | null> {
    return this.one(
      `SELECT * FROM accounts WHERE pseudonym = ?
       UNION ALL SELECT * FROM accounts WHERE account_id = ? AND NOT EXISTS (
         SELECT 1 FROM accounts other WHERE other.pseudonym = ?)`,
      [name, name, name],
    );
  }

  /** The customer's ids by pseudonym; unknown pseudonyms are omitted. */
  async ofPseudonyms(pseudonyms: readonly string[], source: Queryable = this.reader): Promise<Map<string, string>> {
    if (pseudonyms.length === 0) return new Map();
    const rows = await source.rows<{ pseudonym: string; account_id: string }>(
      `SELECT pseudonym, account_id FROM accounts WHERE pseudonym IN (${placeholders(pseudonyms.length)})`,
      pseudonyms,
    );
    return new Map(rows.map(({ pseudonym, account_id }) => [pseudonym, account_id]));
  }

  /** Accounts after `afterId` whose upstream user is not yet known to have its pseudonym. */
  unrenamed(afterId: number, limit: number): Promise<AccountEntity[]> {
    const sql = `SELECT * FROM accounts WHERE id > ? AND ${isUnrenamed} ORDER BY id LIMIT ?`;
    return this.several(sql, [afterId, limit]);
  }

  async countUnrenamed(): Promise<number> {
    const sql = `SELECT COUNT(*) AS count FROM accounts WHERE ${isUnrenamed}`;
    return (await this.reader.rows<{ count: number }>(sql))[0]?.count ?? 0;
  }

  /** Stores the pseudonym unless the account has one; returns the account's pseudonym. */
  async keepPseudonym(tx: Tx, id: number, pseudonym: string): Promise<string | null> {
    const sql = `UPDATE accounts SET pseudonym = ? WHERE id = ? AND pseudonym IS NULL AND status <> 'erasing'`;
    await tx.execute(sql, [pseudonym, id]);
    return (await this.findById(id, tx))?.pseudonym ?? null;
  }

  /** Records that upstream has renamed the account's user to the pseudonym. */
  async renamed(tx: Tx, id: number, pseudonym: string, now: number): Promise<void> {
    await tx.execute('UPDATE accounts SET pseudonym_at = ? WHERE id = ? AND pseudonym = ?', [now, id, pseudonym]);
  }

  async findById(id: number, source: Queryable = this.reader): Promise<AccountEntity | null> {
    const [account] = await source.few<AccountEntity>('SELECT * FROM accounts WHERE id = ?', [id]);
    return this.read(account ?? null);
  }

  /** The account with this current or former user. */
  findByUpstreamUser(userId: string): Promise<AccountEntity | null> {
    return this.one(
      `SELECT * FROM accounts WHERE upstream_user_id = ?
       UNION ALL SELECT a.* FROM accounts a JOIN former_upstream_users f ON f.account_id = a.id WHERE f.user_id = ?`,
      [userId, userId],
    );
  }

  /** Owners of current and former users, by user id; user ids in lower case. */
  async ownersOf(userIds: readonly string[]): Promise<Map<string, AccountOwner>> {
    const ids = filledUp([...new Set(userIds)]);
    if (ids.length === 0) return new Map();
    const among = placeholders(ids.length);
    const rows = await this.reader.few<AccountOwner & { user_id: string }>(
      `SELECT a.id, a.account_id, a.status, f.replaced_at AS user_gone_at, f.replaced_at, f.user_id
       FROM accounts a JOIN former_upstream_users f ON f.account_id = a.id WHERE f.user_id IN (${among})
       UNION ALL SELECT id, account_id, status, user_gone_at, NULL, upstream_user_id
       FROM accounts WHERE upstream_user_id IN (${among})`,
      [...ids, ...ids],
    );
    return new Map(rows.map(({ user_id, ...owner }) => [user_id, owner]));
  }

  /** Upstream users that the account had before its current one. */
  async formerUsers(tx: Tx, id: number): Promise<string[]> {
    const sql = 'SELECT user_id FROM former_upstream_users WHERE account_id = ?';
    return (await tx.rows<{ user_id: string }>(sql, [id])).map(({ user_id }) => user_id);
  }

  /** True if this call marked it: the account has this user, which was not marked as gone before. */
  async markGone(tx: Tx, id: number, userId: string, now: number): Promise<boolean> {
    const written = await tx.execute(
      `UPDATE accounts SET user_gone_at = ?, updated_at = ?
       WHERE id = ? AND upstream_user_id = ? AND user_gone_at IS NULL AND status <> 'erasing'`,
      [now, now, id, userId],
    );
    return noted(tx, id, written, now);
  }

  async clearGone(tx: Tx, id: number, userId: string, now: number): Promise<boolean> {
    const sql = `UPDATE accounts SET user_gone_at = NULL
      WHERE id = ? AND upstream_user_id = ? AND user_gone_at IS NOT NULL AND status <> 'erasing'`;
    return noted(tx, id, await tx.execute(sql, [id, userId]), now);
  }

  /**
   * Replaces a user that is gone, unless the account has changed since or another account has the new user.
   * True if this call replaced it; otherwise read the row to see the current user.
   */
  async replaceUser(tx: Tx, id: number, by: Omit<Mapping, 'name'> & { earlier: string }): Promise<boolean> {
    const { earlier, userId, kept, now } = by;
    const before = await this.get(tx, id);
    const written = await tx.execute(
      `UPDATE accounts SET upstream_user_id = ?, linked_at = ?, relinked_at = ?, updated_at = ?, user_gone_at = NULL,
         ${setKept}
       WHERE id = ? AND upstream_user_id = ? AND user_gone_at IS NOT NULL AND status <> 'erasing'
         AND NOT EXISTS (SELECT 1 FROM accounts other WHERE other.upstream_user_id = ?)
         AND NOT EXISTS (SELECT 1 FROM former_upstream_users former WHERE former.user_id = ?)`,
      [userId, now, now, now, ...keptValues(kept), id, earlier, userId, userId],
    );
    if (written === 0) return false;
    const sql = 'INSERT INTO former_upstream_users (user_id, account_id, replaced_at) VALUES (?, ?, ?)';
    await tx.execute(sql, [earlier, id, now]);
    await keepFormerZone(tx, before, kept, now);
    return noted(tx, id, written, now);
  }

  async countPullable(): Promise<{ accounts: number; lastAccount: number }> {
    const [row] = await this.reader.rows<{ accounts: number; lastAccount: number }>(
      `SELECT COUNT(*) AS accounts, COALESCE(MAX(id), 0) AS "lastAccount" ${fromPullableAccounts}`,
    );
    return row ?? { accounts: 0, lastAccount: 0 };
  }

  async listPullable(
    tx: Tx,
    { after, last, limit }: { after: number; last: number; limit: number },
  ): Promise<number[]> {
    const rows = await tx.rows<{ id: number }>(
      `SELECT id ${fromPullableAccounts} AND id > ? AND id <= ? ORDER BY id LIMIT ?`,
      [after, last, limit],
    );
    return rows.map(({ id }) => id);
  }

  /** Pending accounts whose next attempt is due, least recently tried first. */
  duePending(now: number, limit: number): Promise<AccountEntity[]> {
    const sql = `SELECT * FROM accounts WHERE ${pendingDue} ORDER BY updated_at, id LIMIT ?`;
    return this.several(sql, [now, limit]);
  }

  /** Returns the row of the account; inserts a pending one if there is none. */
  async insertPending(tx: Tx, accountId: string, now: number, pseudonym: string | null): Promise<AccountEntity> {
    const made = await tx.execute(
      `INSERT INTO accounts (account_id, pseudonym, status, created_at, updated_at, log_ref)
       VALUES (?, ?, 'pending', ?, ?, ?)
       ON CONFLICT (account_id) DO NOTHING`,
      [accountId, pseudonym, now, now, newLogRef()],
    );
    const [account] = await tx.rows<AccountEntity>('SELECT * FROM accounts WHERE account_id = ?', [accountId]);
    if (made > 0 && account) await noteAccounts(tx, [account.id], 'created', now);
    return this.read(account as AccountEntity);
  }

  /**
   * Maps an account that has no upstream user yet, unless another account has that user. True if this call mapped it;
   * otherwise read the row to see the current user.
   */
  async link(tx: Tx, id: number, { userId, name, kept, now }: Mapping): Promise<boolean> {
    const written = await tx.execute(
      `UPDATE accounts SET upstream_user_id = ?, linked_at = ?, updated_at = ?,
         pseudonym_at = CASE WHEN pseudonym = ? THEN CAST(? AS BIGINT) END,
         status = CASE WHEN status = 'pending' THEN 'active' ELSE status END, ${setKept}
       WHERE id = ? AND upstream_user_id IS NULL
         AND NOT EXISTS (SELECT 1 FROM accounts other WHERE other.upstream_user_id = ?)
         AND status <> 'erasing'`,
      [userId, now, now, name, now, ...keptValues(kept), id, userId],
    );
    return noted(tx, id, written, now);
  }

  async get(tx: Queryable, id: number): Promise<AccountEntity> {
    return (await this.findById(id, tx)) as AccountEntity;
  }

  /** Does nothing to an account that is being erased. A time zone that is replaced stays as a former one. */
  async storeKept(tx: Tx, id: number, kept: KeptOfUser & Fallbacks, now: number): Promise<void> {
    const sql = `UPDATE accounts SET ${setKept}, ${setFallbacks}, updated_at = ? WHERE id = ? AND status <> 'erasing'`;
    const before = await this.get(tx, id);
    const { fallback_time_zone_set_at: zoneSetAt, fallback_birth_date_set_at: birthSetAt } = kept;
    const written = await tx.execute(sql, [...keptValues(kept), zoneSetAt, birthSetAt, now, id]);
    if (written > 0) await keepFormerZone(tx, before, kept, now);
    if (!isDeepStrictEqual(keptValues(before), keptValues(kept))) await noted(tx, id, written, now);
    if (written > 0 && before.fallback_time_zone !== kept.fallback_time_zone)
      await noteAnswers(tx, { account: id, rule: 'time_zone' }, now);
  }

  /** Records that the account's fallbacks were set here when its user was created with them. */
  async storeFallbacks(tx: Tx, id: number, set: Fallbacks): Promise<void> {
    const sql = `UPDATE accounts SET ${setFallbacks} WHERE id = ? AND status <> 'erasing'`;
    await tx.execute(sql, [set.fallback_time_zone_set_at, set.fallback_birth_date_set_at, id]);
  }

  /** The zones that the account had before its present one, in order of time. */
  formerZones(id: number, source: Queryable = this.reader): Promise<FormerZone[]> {
    const sql = 'SELECT until, time_zone FROM former_time_zones WHERE account_id = ? ORDER BY until';
    return source.rows<FormerZone>(sql, [id]);
  }

  /** True if this call blocked it. Does not affect an account that is being erased. */
  async block(tx: Tx, id: number, now: number): Promise<boolean> {
    const sql = `UPDATE accounts SET status = 'blocked', updated_at = ? WHERE id = ? AND status IN ('pending', 'active')`;
    return noted(tx, id, await tx.execute(sql, [now, id]), now);
  }

  /** Restores the status from before the block. True if this call did. */
  async unblock(tx: Tx, id: number, now: number): Promise<boolean> {
    const written = await tx.execute(
      `UPDATE accounts SET status = CASE WHEN upstream_user_id IS NULL THEN 'pending' ELSE 'active' END, updated_at = ?
       WHERE id = ? AND status = 'blocked'`,
      [now, id],
    );
    return noted(tx, id, written, now);
  }

  /** Closes an account for erasure. False if it no longer exists or was already closed. */
  async close(tx: Tx, id: number, now: number): Promise<boolean> {
    const sql = `UPDATE accounts SET status = 'erasing', updated_at = ? WHERE id = ? AND status <> 'erasing'`;
    return (await tx.execute(sql, [now, id])) > 0;
  }

  /** Clears everything but the account's two ids, its pseudonym and its status. */
  async anonymize(tx: Tx, id: number, now: number): Promise<void> {
    await tx.execute(
      `UPDATE accounts SET ${blankKept}, fallback_time_zone_set_at = NULL, fallback_birth_date_set_at = NULL,
         user_gone_at = NULL, relinked_at = NULL, linked_at = NULL, pseudonym_at = NULL,
         log_ref = NULL, created_at = ?, updated_at = ? WHERE id = ?`,
      [now, now, id],
    );
    this.log.accountRefs.forget(id);
  }

  /** Stores the user of an account that is being erased, so that it can be deleted upstream. */
  async keepUpstreamUser(tx: Tx, id: number, userId: string): Promise<void> {
    const sql = 'UPDATE accounts SET upstream_user_id = ? WHERE id = ? AND upstream_user_id IS NULL';
    await tx.execute(sql, [userId, id]);
  }

  /** Records a failed attempt to finish a pending account. */
  async touchPending(tx: Tx, id: number, now: number): Promise<void> {
    await tx.execute(`UPDATE accounts SET updated_at = ? WHERE id = ? AND status = 'pending'`, [now, id]);
  }

  private async one(sql: string, values: readonly SqlInput[]): Promise<AccountEntity | null> {
    return this.read(await this.reader.row<AccountEntity>(sql, values));
  }

  private async several(sql: string, values: readonly SqlInput[]): Promise<AccountEntity[]> {
    return (await this.reader.rows<AccountEntity>(sql, values)).map((account) => this.read(account));
  }

  /** Registers the account's log reference: code always reads an account before it logs it. */
  private read<Found extends AccountEntity | null>(account: Found): Found {
    if (account) this.log.accountRefs.remember(account);
    return account;
  }
}

/** Adds a change of the account to the change log if a row was written; returns true if so. */
async function noted(tx: Tx, id: number, written: number, now: number): Promise<boolean> {
  if (written > 0) await noteAccounts(tx, [id], 'changed', now);
  return written > 0;
}

/** Keeps the zone of `before` as a former one if `kept` has another. */
async function keepFormerZone(tx: Tx, before: AccountEntity, kept: KeptOfUser, now: number): Promise<void> {
  const { id, fallback_time_zone: zone } = before;
  if (zone === null || zone === kept.fallback_time_zone) return;
  const began = zoneBeganAt(before, kept, now);
  // Zones are in the order in which they were learned, whatever clocks say.
  await tx.execute(
    `INSERT INTO former_time_zones (account_id, until, time_zone)
     SELECT CAST(? AS BIGINT), CASE WHEN MAX(until) >= ? THEN MAX(until) + 1 ELSE CAST(? AS BIGINT) END, CAST(? AS TEXT)
     FROM former_time_zones WHERE account_id = ?`,
    [id, began, began, zone, id],
  );
}
