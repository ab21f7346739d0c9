import { Injectable } from '@nestjs/common';
import { settingsOf } from '../accounts/upstream-users.js';
import { placeholders, type SqlInput, type SqlValue } from '../database/dialect.js';
import { Reader } from '../database/reader.js';
import type { BulkShape, Tx } from '../database/tx.js';
import type { WireUser } from '../upstream/wire-users.js';
import type { AccountImportDifferenceEntity, SeenUserEntity } from './account-import.entity.js';
import type { LocalAccount } from './import-rules.js';

/** Takes a user over: a new account, or one that waits for its first user. */
const adopting: BulkShape = {
  table: 'accounts',
  columns: [
    { name: 'account_id', type: 'text' },
    { name: 'upstream_user_id', type: 'text' },
    { name: 'status', type: 'text' },
    { name: 'created_at', type: 'int' },
    { name: 'updated_at', type: 'int' },
    { name: 'linked_at', type: 'int' },
    { name: 'fallback_time_zone', type: 'text' },
    { name: 'fallback_birth_date', type: 'text' },
    { name: 'ingestion_start', type: 'text' },
    { name: 'ingestion_end', type: 'text' },
  ],
  conflict: ['account_id'],
  update: [
    'upstream_user_id',
    'status',
    'updated_at',
    'linked_at',
    'fallback_time_zone',
    'fallback_birth_date',
    'ingestion_start',
    'ingestion_end',
  ],
  when: `accounts.upstream_user_id IS NULL AND accounts.status = 'pending'`,
  returning: ['upstream_user_id'],
};

const sighting: BulkShape = {
  table: 'account_import_sightings',
  columns: [
    { name: 'import_id', type: 'int' },
    { name: 'user_id', type: 'text' },
    { name: 'account_id', type: 'int' },
    { name: 'pass', type: 'int' },
  ],
  conflict: ['import_id', 'user_id'],
  update: ['account_id', 'pass'],
};

const differing: BulkShape = {
  table: 'account_import_differences',
  columns: [
    { name: 'import_id', type: 'int' },
    { name: 'kind', type: 'text' },
    { name: 'reason', type: 'text' },
    { name: 'account_id', type: 'int' },
    { name: 'user_id', type: 'text' },
    { name: 'found_at', type: 'int' },
  ],
  conflict: ['id'],
  update: [],
};

export type NewDifference = Omit<AccountImportDifferenceEntity, 'id'>;

const local = 'SELECT id, account_id, upstream_user_id, status FROM accounts';

/** Accounts and sightings by the page; the tables account_import_sightings and account_import_differences. */
@Injectable()
export class SeenUsersRepository {
  constructor(private readonly reader: Reader) {}

  /** Accounts that have one of the users, or one of the account ids. */
  async accountsOf(tx: Tx, userIds: readonly string[], names: readonly string[]): Promise<LocalAccount[]> {
    const byUser = await this.among<LocalAccount>(tx, `${local} WHERE upstream_user_id IN`, userIds);
    const byName = await this.among<LocalAccount>(tx, `${local} WHERE account_id IN`, names);
    return [...byUser, ...byName];
  }

  /** Maps users to accounts of their own ids, made if need be; answers the users for which this call did it. */
  async adopt(tx: Tx, users: readonly WireUser[], now: number): Promise<Set<string>> {
    const values = users.flatMap((user): SqlValue[] => {
      const settings = settingsOf(user);
      const mapping = [user.client_user_id, user.user_id.toLowerCase(), 'active', now, now, now];
      const { fallback_time_zone, fallback_birth_date, ingestion_start, ingestion_end } = settings;
      return [...mapping, fallback_time_zone, fallback_birth_date, ingestion_start, ingestion_end];
    });
    const written = await tx.bulkRows<{ upstream_user_id: string }>(adopting, values);
    return new Set(written.map((row) => row.upstream_user_id));
  }

  /** The latest look in which each of the users was seen. */
  async seen(tx: Tx, importId: number, userIds: readonly string[]): Promise<Map<string, number>> {
    const sql = 'SELECT user_id, pass FROM account_import_sightings WHERE import_id = ? AND user_id IN';
    const rows = await this.among<{ user_id: string; pass: number }>(tx, sql, userIds, [importId]);
    return new Map(rows.map(({ user_id, pass }) => [user_id, pass]));
  }

  async see(tx: Tx, sightings: readonly SeenUserEntity[]): Promise<void> {
    const values = sightings.flatMap((row) => [row.import_id, row.user_id, row.account_id, row.pass]);
    await tx.bulk(sighting, values);
  }

  async differ(tx: Tx, differences: readonly NewDifference[]): Promise<void> {
    const values = differences.flatMap((row) => {
      return [row.import_id, row.kind, row.reason, row.account_id, row.user_id, row.found_at];
    });
    await tx.bulk(differing, values);
  }

  /** The last of the next `size` accounts after one; null when there are none. */
  async stretchEnd(after: number, size: number): Promise<number | null> {
    const row = await this.reader.row<{ id: number | null }>(
      'SELECT MAX(id) AS id FROM (SELECT id FROM accounts WHERE id > ? ORDER BY id LIMIT ?) AS stretch',
      [after, size],
    );
    return row?.id ?? null;
  }

  /** Accounts of a stretch whose user the import has not seen, or that have none; those being erased left out. */
  unseen(stretch: { importId: number; after: number; until: number; limit: number }): Promise<LocalAccount[]> {
    const { importId, after, until, limit } = stretch;
    return this.reader.rows(
      `${local} AS a WHERE a.id > ? AND a.id <= ? AND a.status <> 'erasing' AND NOT EXISTS (
         SELECT 1 FROM account_import_sightings s WHERE s.import_id = ? AND s.user_id = a.upstream_user_id)
       ORDER BY a.id LIMIT ?`,
      [after, until, importId, limit],
    );
  }

  private async among<T>(tx: Tx, sql: string, list: readonly string[], before: readonly SqlInput[] = []): Promise<T[]> {
    return list.length === 0 ? [] : tx.rows<T>(`${sql} (${placeholders(list.length)})`, [...before, ...list]);
  }
}
