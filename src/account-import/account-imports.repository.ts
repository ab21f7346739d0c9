import { Injectable } from '@nestjs/common';
import { externalIdColumn, joinAccountIfAny } from '../accounts/account-sql.js';
import { assignments } from '../database/dialect.js';
import { Reader } from '../database/reader.js';
import type { Tx } from '../database/tx.js';
import type { AccountImportDifferenceEntity, AccountImportEntity, DifferenceKind } from './account-import.entity.js';

/** The import is somebody else's now: what was to be written with it must not be. */
export class ImportLeaseLost extends Error {
  constructor() {
    super('the lease of the import was lost');
    this.name = 'ImportLeaseLost';
  }
}

export type ImportChange = Partial<Omit<AccountImportEntity, 'id' | 'started_at'>>;

/** A difference with the account's own id, for operators. */
export type ShownDifference = AccountImportDifferenceEntity & { readonly account: string | null };

const zero = 'pass_seen, verified_until, pages, known, adopted, refused, missing, verified, failures, next_offset';

/** The account_imports table, and the reads of what imports found. */
@Injectable()
export class AccountImportsRepository {
  constructor(private readonly reader: Reader) {}

  /** Makes an import unless one runs; null when one does. */
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

  async anyDue(now: number): Promise<boolean> {
    return (await this.reader.row('SELECT id FROM account_imports WHERE due_at <= ? LIMIT 1', [now])) !== null;
  }

  async claim(
    tx: Tx,
    { owner, now, leaseUntil }: { owner: string; now: number; leaseUntil: number },
  ): Promise<AccountImportEntity | null> {
    const [claimed] = await tx.rows<AccountImportEntity>(
      `UPDATE account_imports SET lease_owner = ?, lease_until = ? WHERE id IN (
         SELECT id FROM account_imports WHERE due_at <= ? AND (lease_until IS NULL OR lease_until <= ?)
         ORDER BY due_at, id LIMIT 1 ${tx.skipLocked}) RETURNING *`,
      [owner, leaseUntil, now, now],
    );
    return claimed ?? null;
  }

  /** Writes to an import as its holder and hands it back; throws `ImportLeaseLost` when somebody else holds it now. */
  async handBack(tx: Tx, held: AccountImportEntity, change: ImportChange): Promise<AccountImportEntity> {
    const whole: ImportChange = { failures: 0, error_code: null, ...change, lease_owner: null, lease_until: null };
    const { set, values } = assignments({ ...whole });
    const written = await tx.execute(`UPDATE account_imports ${set} WHERE id = ? AND lease_owner = ?`, [
      ...values,
      held.id,
      held.lease_owner,
    ]);
    if (written === 0) throw new ImportLeaseLost();
    return { ...held, ...whole };
  }

  /** In the order in which they were found. */
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

  /** How often each reason was found. */
  reasons(importId: number, kind: DifferenceKind): Promise<{ reason: string; count: number }[]> {
    return this.reader.rows(
      `SELECT reason, COUNT(*) AS count FROM account_import_differences WHERE import_id = ? AND kind = ?
       GROUP BY reason ORDER BY reason`,
      [importId, kind],
    );
  }

  /** Removes some seen users of an import; answers how many. */
  forget(tx: Tx, importId: number, limit: number): Promise<number> {
    return tx.execute(
      `DELETE FROM account_import_seen_users WHERE import_id = ? AND user_id IN (
         SELECT user_id FROM account_import_seen_users WHERE import_id = ? LIMIT ?)`,
      [importId, importId, limit],
    );
  }
}
