import { Injectable } from '@nestjs/common';
import { shapeOf } from '../../storage/database/columns.js';
import { placeholders } from '../../storage/database/dialect.js';
import { saveRows } from '../../storage/database/rows.js';
import type { Queryable, Tx } from '../../storage/database/tx.js';
import { AccountImportDifferenceEntity, SeenUserEntity } from './account-import.entity.js';

const seenUsers = shapeOf(SeenUserEntity);
const newDifferences = { ...shapeOf<NewDifference>(AccountImportDifferenceEntity), update: [] };

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
    await saveRows(tx, seenUsers, seen);
  }

  async recordDifferences(tx: Tx, differences: readonly NewDifference[]): Promise<void> {
    await saveRows(tx, newDifferences, differences);
  }
}
