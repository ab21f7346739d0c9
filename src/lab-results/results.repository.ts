import { Injectable } from '@nestjs/common';
import { Reader } from '../database/reader.js';
import type { Tx } from '../database/tx.js';
import type { LabResultEntity, ResultForm, ResultScope } from './lab-result.entity.js';

/** What there are results of: one order, or a transaction's orders together. */
export interface ResultSubject {
  readonly scope: ResultScope;
  readonly id: string;
}

/** Whose an order or transaction is, as far as it is known. */
export interface SubjectRow {
  /** 0 while upstream has said nothing of it. */
  readonly version: number;
  readonly order_transaction_id: string | null;
  /** `accounts.id`; null for none of ours, and for one that is being erased. */
  readonly account: number | null;
  readonly upstream_user_id: string | null;
  /** Orders in it that belong to other accounts. */
  readonly foreign_orders: number;
}

/** All of a version but its content. */
export type ResultVersion = Omit<LabResultEntity, 'content'>;

const ofAccount = `LEFT JOIN accounts a ON a.id = s.account_id AND a.status <> 'erasing'`;

const subjectSql: Readonly<Record<ResultScope, string>> = {
  order: `SELECT s.version, s.order_transaction_id, a.id AS account, a.upstream_user_id, 0 AS foreign_orders
    FROM orders s ${ofAccount} WHERE s.order_id = ?`,
  transaction: `SELECT s.version, s.order_transaction_id, a.id AS account, a.upstream_user_id,
      (SELECT COUNT(*) FROM orders o
       WHERE o.order_transaction_id = s.order_transaction_id AND o.account_id <> s.account_id) AS foreign_orders
    FROM order_transactions s ${ofAccount} WHERE s.order_transaction_id = ?`,
};

const lockSql: Readonly<Record<ResultScope, string>> = {
  order: 'UPDATE orders SET order_id = order_id WHERE order_id = ?',
  transaction:
    'UPDATE order_transactions SET order_transaction_id = order_transaction_id WHERE order_transaction_id = ?',
};

const columns = `scope, subject_id, form, version, account_id, checksum, bytes, status, interpretation, source,
  first_seen_at, last_confirmed_at`;
const ofSubject = 'scope = ? AND subject_id = ? AND form = ?';

/** Versions of results. What is read for somebody is always that of one account. */
@Injectable()
export class ResultsRepository {
  constructor(private readonly reader: Reader) {}

  subject({ scope, id }: ResultSubject): Promise<SubjectRow | null> {
    return this.reader.row<SubjectRow>(subjectSql[scope], [id]);
  }

  /** Newest first. */
  versions({ scope, id }: ResultSubject, form: ResultForm, account: number): Promise<ResultVersion[]> {
    return this.reader.rows<ResultVersion>(
      `SELECT ${columns} FROM lab_results WHERE ${ofSubject} AND account_id = ? ORDER BY version DESC`,
      [scope, id, form, account],
    );
  }

  /** Canonical JSON; null for a version that is not there. */
  async content({ scope, id }: ResultSubject, version: number): Promise<string | null> {
    const row = await this.reader.row<{ content: string | null }>(
      `SELECT content FROM lab_results WHERE ${ofSubject} AND version = ?`,
      [scope, id, 'json', version],
    );
    return row?.content ?? null;
  }

  /** Keeps others from storing results of the same subject until the transaction ends; answers whose it is. */
  async lock(tx: Tx, { scope, id }: ResultSubject): Promise<SubjectRow | null> {
    await tx.execute(lockSql[scope], [id]);
    const [row] = await tx.rows<SubjectRow>(subjectSql[scope], [id]);
    return row ?? null;
  }

  async newest(tx: Tx, { scope, id }: ResultSubject, form: ResultForm): Promise<ResultVersion | null> {
    const [row] = await tx.rows<ResultVersion>(
      `SELECT ${columns} FROM lab_results WHERE ${ofSubject} ORDER BY version DESC LIMIT 1`,
      [scope, id, form],
    );
    return row ?? null;
  }

  async add(tx: Tx, row: LabResultEntity): Promise<void> {
    await tx.execute(`INSERT INTO lab_results (${columns}, content) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, [
      ...[row.scope, row.subject_id, row.form, row.version, row.account_id, row.checksum, row.bytes, row.status],
      ...[row.interpretation, row.source, row.first_seen_at, row.last_confirmed_at, row.content],
    ]);
  }

  /** Never moves the time back. */
  async confirm(tx: Tx, { scope, subject_id, form, version }: ResultVersion, at: number): Promise<void> {
    await tx.execute(
      `UPDATE lab_results SET last_confirmed_at = ? WHERE ${ofSubject} AND version = ? AND last_confirmed_at < ?`,
      [at, scope, subject_id, form, version, at],
    );
  }
}
