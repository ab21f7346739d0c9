import { Injectable } from '@nestjs/common';
import { Conditions } from '../database/conditions.js';
import type { SqlInput } from '../database/dialect.js';
import { Reader } from '../database/reader.js';
import type { Queryable, Tx } from '../database/tx.js';
import { digestOf } from '../erasure-guard/digest.js';
import { HOUR_MS } from '../platform/time.js';
import type { AccountEntity, AccountStatus } from './account.entity.js';
import { fromPullableAccounts } from './account-sql.js';

/** What upstream keeps of a user beside the ids; dates as `YYYY-MM-DD`. */
export interface UserSettings {
  fallback_time_zone: string | null;
  fallback_birth_date: string | null;
  ingestion_start: string | null;
  ingestion_end: string | null;
}

export interface AccountFilter {
  /** Part of the account id in either case, or the whole upstream user id. */
  q?: string | undefined;
  status?: AccountStatus | undefined;
  /** Connected to it, in whatever state. */
  provider?: string | undefined;
  afterId: number;
  limit: number;
}

export interface Mapping {
  accountId: string;
  /** Lower case. */
  userId: string;
  settings: UserSettings;
  now: number;
}

const firstRetryMs = 60_000;
const longestRetryMs = 6 * HOUR_MS;

/** A pending account is tried again after as long as it has been tried so far: one minute, two, four, ... six hours. */
const pendingDue = `status = 'pending' AND ? >= updated_at + CASE
  WHEN updated_at - created_at < ${firstRetryMs} THEN ${firstRetryMs}
  WHEN updated_at - created_at > ${longestRetryMs} THEN ${longestRetryMs}
  ELSE updated_at - created_at END`;

/** The accounts table. An `upstream_user_id` is written once and never changed. */
@Injectable()
export class AccountsRepository {
  constructor(private readonly reader: Reader) {}

  find(accountId: string): Promise<AccountEntity | null> {
    return this.reader.row('SELECT * FROM accounts WHERE account_id = ?', [accountId]);
  }

  findByRef(id: number): Promise<AccountEntity | null> {
    return this.reader.row('SELECT * FROM accounts WHERE id = ?', [id]);
  }

  findByUpstreamUser(userId: string): Promise<AccountEntity | null> {
    return this.reader.row('SELECT * FROM accounts WHERE upstream_user_id = ?', [userId]);
  }

  /** In the order in which accounts were made. */
  page(filter: AccountFilter): Promise<AccountEntity[]> {
    const connected = `id IN (SELECT account_id FROM connections WHERE provider = ? AND status <> 'disconnected')`;
    const q = filter.q?.toLowerCase();
    const conditions = new Conditions()
      .add('id > ?', filter.afterId)
      .add(`(LOWER(account_id) LIKE ? ESCAPE '\\' OR upstream_user_id = ?)`, q === undefined ? q : partPattern(q), q)
      .add('status = ?', filter.status)
      .add(connected, filter.provider);
    return this.reader.rows(`SELECT * FROM accounts ${conditions.where} ORDER BY id LIMIT ?`, [
      ...conditions.values,
      filter.limit,
    ]);
  }

  async countPullable(): Promise<{ accounts: number; lastAccount: number }> {
    const row = await this.reader.row<{ accounts: number; lastAccount: number }>(
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

  /** Pending accounts whose next attempt is due, longest untouched first. */
  duePending(now: number, limit: number): Promise<AccountEntity[]> {
    const sql = `SELECT * FROM accounts WHERE ${pendingDue} ORDER BY updated_at, id LIMIT ?`;
    return this.reader.rows(sql, [now, limit]);
  }

  /** The account's row, a pending one if there was none. */
  async insertPending(tx: Tx, accountId: string, now: number): Promise<AccountEntity> {
    await tx.execute(
      `INSERT INTO accounts (account_id, status, created_at, updated_at) VALUES (?, 'pending', ?, ?)
       ON CONFLICT (account_id) DO NOTHING`,
      [accountId, now, now],
    );
    const [account] = await tx.rows<AccountEntity>('SELECT * FROM accounts WHERE account_id = ?', [accountId]);
    return account as AccountEntity;
  }

  /**
   * Maps an account that has no upstream user yet, unless another account has that user. True when this call did it;
   * look at the row for what holds.
   */
  async link(tx: Tx, id: number, { userId, settings, now }: Mapping): Promise<boolean> {
    const written = await tx.execute(
      `UPDATE accounts SET upstream_user_id = ?, linked_at = ?, updated_at = ?,
         status = CASE WHEN status = 'pending' THEN 'active' ELSE status END,
         fallback_time_zone = ?, fallback_birth_date = ?, ingestion_start = ?, ingestion_end = ?
       WHERE id = ? AND upstream_user_id IS NULL
         AND NOT EXISTS (SELECT 1 FROM accounts other WHERE other.upstream_user_id = ?)
         AND status <> 'erasing'`,
      [userId, now, now, ...settingValues(settings), id, userId],
    );
    return written > 0;
  }

  async get(tx: Queryable, id: number): Promise<AccountEntity> {
    const [account] = await tx.rows<AccountEntity>('SELECT * FROM accounts WHERE id = ?', [id]);
    return account as AccountEntity;
  }

  /** Whether an upstream user was erased or is being erased: it must not get an account again. */
  async isErased(tx: Queryable, userId: string): Promise<boolean> {
    return (await tx.rows('SELECT digest FROM erased_users WHERE digest = ?', [digestOf(userId)])).length > 0;
  }

  async storeSettings(tx: Tx, id: number, settings: UserSettings, now: number): Promise<void> {
    await tx.execute(
      `UPDATE accounts SET fallback_time_zone = ?, fallback_birth_date = ?, ingestion_start = ?, ingestion_end = ?,
         updated_at = ? WHERE id = ? AND status <> 'erasing'`,
      [...settingValues(settings), now, id],
    );
  }

  /** Remembers an attempt that did not finish a pending account. */
  async touchPending(tx: Tx, id: number, now: number): Promise<void> {
    await tx.execute(`UPDATE accounts SET updated_at = ? WHERE id = ? AND status = 'pending'`, [now, id]);
  }
}

function settingValues(settings: UserSettings): SqlInput[] {
  const { fallback_time_zone, fallback_birth_date, ingestion_start, ingestion_end } = settings;
  return [fallback_time_zone, fallback_birth_date, ingestion_start, ingestion_end];
}

function partPattern(q: string): string {
  return `%${q.replace(/[\\%_]/g, '\\$&')}%`;
}
