import { Injectable } from '@nestjs/common';
import { placeholders } from '../../storage/database/dialect.js';
import type { BulkShape, Queryable, Tx } from '../../storage/database/tx.js';
import type { AccountImportDifferenceEntity, SeenUserEntity } from './account-import.entity.js';

const seenUsers: BulkShape = {
  table: 'account_import_seen_users',
  columns: [
    { name: 'import_id', type: 'int' },
    { name: 'user_id', type: 'text' },
    { name: 'account_id', type: 'int' },
    { name: 'pass', type: 'int' },
  ],
  conflict: ['import_id', 'user_id'],
  update: ['account_id', 'pass'],
};

const newDifferences: BulkShape = {
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

/** The tables account_import_seen_users and account_import_differences. */
@Injectable()
export class SeenUsersRepository {
  /** The latest pass in which each of the users was seen. */
  async seen(source: Queryable, importId: number, userIds: readonly string[]): Promise<Map<string, number>> {
    if (userIds.length === 0) return new Map();
    const rows = await source.rows<{ user_id: string; pass: number }>(
      `SELECT user_id, pass FROM account_import_seen_users
       WHERE import_id = ? AND user_id IN (${placeholders(userIds.length)})`,
      [importId, ...userIds],
    );
    return new Map(rows.map(({ user_id, pass }) => [user_id, pass]));
  }

  async markSeen(tx: Tx, seen: readonly SeenUserEntity[]): Promise<void> {
    const values = seen.flatMap((row) => [row.import_id, row.user_id, row.account_id, row.pass]);
    await tx.bulk(seenUsers, values);
  }

  async recordDifferences(tx: Tx, differences: readonly NewDifference[]): Promise<void> {
    const values = differences.flatMap((row) => {
      return [row.import_id, row.kind, row.reason, row.account_id, row.user_id, row.found_at];
    });
    await tx.bulk(newDifferences, values);
  }
}
