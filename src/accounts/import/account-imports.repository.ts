import { Injectable } from '@nestjs/common';
import { shapeOf } from '../../storage/database/columns.js';
import { placeholders } from '../../storage/database/dialect.js';
import { Reader } from '../../storage/database/reader.js';
import { saveRows } from '../../storage/database/rows.js';
import type { Queryable, Tx } from '../../storage/database/tx.js';
import type { Change } from '../../storage/work/lease.js';
import { LeasedRows } from '../../storage/work/leased-rows.js';
import { externalIdColumn, joinAccountIfAny } from '../accounts/account-sql.js';
import {
  AccountImportDifferenceEntity,
  AccountImportEntity,
  type DifferenceKind,
  SeenUserEntity,
} from './account-import.entity.js';

export type ImportChange = Change<AccountImportEntity>;

export type NewDifference = Omit<AccountImportDifferenceEntity, 'id'>;

/** A difference with the customer's id of its account, for operators. */
export type ShownDifference = AccountImportDifferenceEntity & { readonly account: string | null };

const seenUsers = shapeOf(SeenUserEntity);
const newDifferences = { ...shapeOf<NewDifference>(AccountImportDifferenceEntity), update: [] };
const zero = 'pass_seen, verified_until, pages, known, adopted, refused, missing, verified, attempts, next_offset';

/** The tables account_imports, account_import_seen_users and account_import_differences. */
@Injectable()
export class AccountImportsRepository {
  readonly rows = new LeasedRows(AccountImportEntity);

  constructor(private readonly reader: Reader) {}

  /** Creates an import; null if one is already running. */
  async insert(tx: Tx, now: number): Promise<AccountImportEntity | null> {
    const [made] = await tx.rows<AccountImportEntity>(
      `INSERT INTO account_imports (state, phase, pass, due_at, started_at, ${zero})
       VALUES ('running', 'walk', 1, ?, ?, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) ON CONFLICT DO NOTHING RETURNING *`,
      [now, now],
    );
    return made ?? null;
  }

  async running(tx: Tx): Promise<AccountImportEntity | null> {
    const [running] = await tx.rows<AccountImportEntity>(`SELECT * FROM account_imports WHERE state = 'running'`);
    return running ?? null;
  }

  find(id: number): Promise<AccountImportEntity | null> {
    return this.reader.row('SELECT * FROM account_imports WHERE id = ?', [id]);
  }

  /** Newest first. */
  page(beforeId: number, limit: number): Promise<AccountImportEntity[]> {
    return this.reader.rows('SELECT * FROM account_imports WHERE id < ? ORDER BY id DESC LIMIT ?', [beforeId, limit]);
  }

  /** In the order found. */
  differences(filter: {
    importId: number;
    kind: DifferenceKind | undefined;
    afterId: number;
    limit: number;
  }): Promise<ShownDifference[]> {
    const { importId, kind, afterId, limit } = filter;
    return this.reader.rows(
      `SELECT d.*, ${externalIdColumn} AS account FROM account_import_differences d ${joinAccountIfAny('d.account_id')}
       WHERE d.import_id = ? ${kind === undefined ? '' : 'AND d.kind = ?'} AND d.id > ? ORDER BY d.id LIMIT ?`,
      [importId, ...(kind === undefined ? [] : [kind]), afterId, limit],
    );
  }

  /** Number of differences by reason. */
  reasons(importId: number, kind: DifferenceKind): Promise<{ reason: string; count: number }[]> {
    return this.reader.rows(
      `SELECT reason, COUNT(*) AS count FROM account_import_differences WHERE import_id = ? AND kind = ?
       GROUP BY reason ORDER BY reason`,
      [importId, kind],
    );
  }

  /** The latest pass in which each of the users was seen. */
  async seen(
    importId: number,
    userIds: readonly string[],
    source: Queryable = this.reader,
  ): Promise<Map<string, number>> {
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

  /** Deletes up to `limit` seen users of an import; returns their number. */
  forget(tx: Tx, importId: number, limit: number): Promise<number> {
    return tx.execute(
      `DELETE FROM account_import_seen_users WHERE import_id = ? AND user_id IN (
         SELECT user_id FROM account_import_seen_users WHERE import_id = ? LIMIT ?)`,
      [importId, importId, limit],
    );
  }
}
