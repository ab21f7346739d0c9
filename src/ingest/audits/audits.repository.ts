import { Injectable } from '@nestjs/common';
import { externalIdOf, fromPullableAccounts, relinkedAccounts } from '../../accounts/accounts/account-sql.js';
import { shapeOf, valuesOf } from '../../storage/database/columns.js';
import { Conditions } from '../../storage/database/conditions.js';
import { insertion, placeholders } from '../../storage/database/dialect.js';
import { Reader } from '../../storage/database/reader.js';
import type { Queryable, Tx } from '../../storage/database/tx.js';
import { LeasedRows } from '../../storage/work/leased-rows.js';
import { AuditEntity, DayProofEntity, type DayProofState, type DifferenceCause } from './audit.entity.js';

const proofs = shapeOf(DayProofEntity);
/** What was found about a former upstream user proves nothing about the present one. */
const ofPresentUser = 'looked_at > COALESCE((SELECT relinked_at FROM accounts WHERE id = day_proofs.account_id), 0)';
const listed = `SELECT *, ${externalIdOf('audits.account_id')} AS external_id FROM audits`;

/** With the customer's id of its account. */
export type ListedAudit = AuditEntity & { readonly external_id: string };

/** Days of an audit by their outcome. */
export interface DayCount {
  readonly audit_id: number;
  readonly state: DayProofState;
  readonly cause: DifferenceCause | null;
  readonly count: number;
  readonly missing: number;
  readonly extra: number;
  readonly differing: number;
}

export type NewAudit = Pick<
  AuditEntity,
  'account_id' | 'origin' | 'resource' | 'first_day' | 'last_day' | 'report_only' | 'repair_all' | 'created_at'
>;

export interface ProofFilter {
  readonly account: number;
  readonly resource?: string | undefined;
  readonly provider?: string | undefined;
  readonly firstDay?: string | undefined;
  readonly lastDay?: string | undefined;
  readonly state?: DayProofState | undefined;
}

export type ProofPlace = readonly [resource: string, provider: string, day: string];

/** Days that differed through one cause, and those of them that are not proven yet. */
export interface DifferedDays {
  readonly cause: DifferenceCause;
  readonly found: number;
  readonly open: number;
}

/**
 * Days of an account, resource and source; "week" and "month" are the last 7 and 30 days. A day that differed when it
 * was compared last is not proven, whatever was found before.
 */
export interface Progress {
  /** Compared at any time. */
  readonly compared: number;
  readonly provenInWeek: number;
  readonly provenInMonth: number;
  /** Compared in the last week and not equal at first: how many, and how many of them still are not. */
  readonly differedInWeek: readonly DifferedDays[];
  /** Of the audits that were begun in the last week. */
  readonly callsInWeek: number;
  /** When the day was proven whose proof is the oldest, epoch milliseconds; null if none is. */
  readonly oldestProofAt: number | null;
}

/** The audits and day_proofs tables. */
@Injectable()
export class AuditsRepository {
  readonly rows = new LeasedRows(AuditEntity);

  constructor(private readonly reader: Reader) {}

  /** Null if it is a sample and another one is being compared. A question waits. */
  async insert(tx: Tx, audit: NewAudit): Promise<AuditEntity | null> {
    const begun = audit.origin === 'question' ? { state: 'waiting' } : { state: 'comparing', due_at: audit.created_at };
    const { row, values } = insertion({ ...audit, ...begun, days_total: 0, days_compared: 0, calls: 0, objects: 0 });
    const [made] = await tx.rows<AuditEntity>(`INSERT INTO audits ${row} ON CONFLICT DO NOTHING RETURNING *`, values);
    return made ?? null;
  }

  /** An open audit of the same days with the same options; null if there is none. */
  async findOpen(tx: Tx, { created_at: _, ...audit }: NewAudit): Promise<AuditEntity | null> {
    const names = Object.keys(audit);
    const sql = `SELECT * FROM audits WHERE ${names.map((name) => `${name} = ?`).join(' AND ')}
      AND finished_at IS NULL AND cancelled_at IS NULL ORDER BY id LIMIT 1`;
    const [open] = await tx.rows<AuditEntity>(sql, Object.values(audit));
    return open ?? null;
  }

  /** True while a sample or question is being compared. */
  async isSampling(queryable: Queryable = this.reader): Promise<boolean> {
    const sql = `SELECT id FROM audits WHERE origin <> 'request' AND state = 'comparing'`;
    return (await queryable.few(sql)).length > 0;
  }

  /** Number of questions about an account that wait. */
  async waiting(tx: Tx, account: number): Promise<number> {
    return (await tx.rows(`SELECT id FROM audits WHERE account_id = ? AND state = 'waiting'`, [account])).length;
  }

  async nextQuestion(): Promise<number | null> {
    const sql = `SELECT id FROM audits WHERE state = 'waiting' AND cancelled_at IS NULL ORDER BY id LIMIT 1`;
    return (await this.reader.row<{ id: number }>(sql))?.id ?? null;
  }

  /** Has no effect if the question no longer waits. Fails if a sample or question is being compared. */
  async begin(tx: Tx, question: number, now: number): Promise<void> {
    const waits = `id = ? AND state = 'waiting' AND cancelled_at IS NULL`;
    await tx.execute(`UPDATE audits SET state = 'comparing', due_at = ? WHERE ${waits}`, [now, question]);
  }

  /**
   * `accounts.id` of whose days are compared next: who never had a sample, then whose last one is the oldest, if it did
   * not reach the end, or began before `since`, or began before `leftSince` and left out days, because looks failed or
   * a source changed, or found nothing to compare, as with a new account. Null if no account is due.
   */
  async nextToSample({ since, leftSince }: { since: number; leftSince: number }): Promise<number | null> {
    const last = `SELECT MAX(a.id) FROM audits a WHERE a.account_id = p.id AND a.origin = 'sample'`;
    const row = await this.reader.row<{ id: number }>(
      `SELECT p.id AS id FROM (SELECT accounts.id ${fromPullableAccounts}) p LEFT JOIN audits l ON l.id = (${last})
       WHERE l.id IS NULL OR l.created_at < ? OR (l.place IS NOT NULL AND l.state <> 'failed')
         OR ((l.days_compared = 0 OR l.days_compared < l.days_total) AND l.created_at < ?)
       ORDER BY COALESCE(l.id, 0), p.id LIMIT 1`,
      [since, leftSince],
    );
    return row?.id ?? null;
  }

  find(id: number): Promise<ListedAudit | null> {
    return this.reader.row(`${listed} WHERE id = ?`, [id]);
  }

  /** Newest first. */
  page(account: number | undefined, beforeId: number, limit: number): Promise<ListedAudit[]> {
    const { where, values } = new Conditions().add('id < ?', beforeId).add('account_id = ?', account);
    return this.reader.rows(`${listed} ${where} ORDER BY id DESC LIMIT ?`, [...values, limit]);
  }

  /** Has no effect on an audit that has ended. */
  async cancel(tx: Tx, id: number, now: number): Promise<void> {
    const open = 'id = ? AND cancelled_at IS NULL AND finished_at IS NULL';
    await tx.execute(`UPDATE audits SET cancelled_at = ?, due_at = ? WHERE ${open}`, [now, now, id]);
  }

  counts(audits: readonly number[]): Promise<DayCount[]> {
    if (audits.length === 0) return Promise.resolve([]);
    return this.reader.rows(
      `SELECT audit_id, state, cause, COUNT(*) AS count, CAST(SUM(missing) AS bigint) AS missing,
         CAST(SUM(extra) AS bigint) AS extra, CAST(SUM(differing) AS bigint) AS differing
       FROM day_proofs WHERE audit_id IN (${placeholders(audits.length)}) GROUP BY audit_id, state, cause`,
      audits,
    );
  }

  async store(tx: Tx, days: readonly DayProofEntity[]): Promise<void> {
    if (days.length === 0) return;
    await tx.bulk(proofs, valuesOf(proofs, days));
  }

  /** Deletes what was found about days of a stream. */
  async forget(
    tx: Tx,
    { account, resource, provider, firstDay, lastDay }: Required<Omit<ProofFilter, 'state'>>,
  ): Promise<void> {
    await tx.execute(
      `DELETE FROM day_proofs WHERE account_id = ? AND resource = ? AND provider = ? AND day >= ? AND day <= ?`,
      [account, resource, provider, firstDay, lastDay],
    );
  }

  /** The proofs of one account, by resource, source and day; in pages after a place if `limit` is given. */
  proofs(
    filter: ProofFilter,
    after: ProofPlace = ['', '', ''],
    limit = Number.MAX_SAFE_INTEGER,
  ): Promise<DayProofEntity[]> {
    const { where, values } = new Conditions()
      .add('account_id = ?', filter.account)
      .add('resource = ?', filter.resource)
      .add('provider = ?', filter.provider)
      .add('day >= ?', filter.firstDay)
      .add('day <= ?', filter.lastDay)
      .add('state = ?', filter.state);
    const sql = `SELECT * FROM day_proofs ${where} AND (resource, provider, day) > (?, ?, ?) AND ${ofPresentUser}
      ORDER BY resource, provider, day LIMIT ?`;
    return this.reader.rows(sql, [...values, ...after, limit]);
  }

  /** Without what was found about former upstream users. */
  async progress({ week, month }: { readonly week: number; readonly month: number }): Promise<Progress> {
    const ever = (since: string): string => `(SELECT COUNT(*) FROM day_proofs WHERE proven_at >= ${since})`;
    // As day_proofs_open finds them; they are few.
    const open = `FROM day_proofs WHERE state <> 'proven' AND state IN ('different', 'held', 'repairing')`;
    const proven = (since: string): string => `${ever(since)} - (SELECT COUNT(*) ${open} AND proven_at >= ${since})`;
    const differed = await this.reader.rows<DifferedDays>(
      `SELECT cause, COUNT(*) AS found, COUNT(CASE WHEN state <> 'proven' THEN 1 END) AS open
       FROM day_proofs WHERE cause IS NOT NULL AND looked_at >= ? AND ${ofPresentUser} GROUP BY cause ORDER BY cause`,
      [week],
    );
    const everybody = await this.reader.row<Omit<Progress, 'differedInWeek'>>(
      `SELECT ${ever('0')} + (SELECT COUNT(*) ${open} AND proven_at IS NULL) AS compared,
         ${proven('?')} AS "provenInWeek", ${proven('?')} AS "provenInMonth",
         (SELECT CAST(COALESCE(SUM(calls), 0) AS bigint) FROM audits WHERE created_at >= ?) AS "callsInWeek",
         (SELECT proven_at FROM day_proofs WHERE proven_at IS NOT NULL AND state = 'proven' AND ${ofPresentUser}
            ORDER BY proven_at LIMIT 1) AS "oldestProofAt"`,
      [week, week, month, month, week],
    );
    const isProven = (since: string): string => `CASE WHEN state = 'proven' AND proven_at >= ${since} THEN 1 END`;
    const former = await this.reader.row<Pick<Progress, 'compared' | 'provenInWeek' | 'provenInMonth'>>(
      `SELECT COUNT(*) AS compared, COUNT(${isProven('?')}) AS "provenInWeek", COUNT(${isProven('?')}) AS "provenInMonth"
       FROM day_proofs WHERE account_id IN (${relinkedAccounts}) AND NOT (${ofPresentUser})`,
      [week, month],
    );
    const all = everybody as Omit<Progress, 'differedInWeek'>;
    return {
      ...all,
      compared: all.compared - (former?.compared ?? 0),
      provenInWeek: all.provenInWeek - (former?.provenInWeek ?? 0),
      provenInMonth: all.provenInMonth - (former?.provenInMonth ?? 0),
      differedInWeek: differed,
    };
  }

  /** Skips from account to account, because each has thousands of rows. */
  async accounts(): Promise<number[]> {
    const next = '(SELECT MIN(account_id) FROM day_proofs WHERE account_id > a.id)';
    const rows = await this.reader.rows<{ id: number }>(
      `WITH RECURSIVE a (id) AS (
         SELECT MIN(account_id) FROM day_proofs UNION ALL SELECT ${next} FROM a WHERE a.id IS NOT NULL
       ) SELECT id FROM a WHERE id IS NOT NULL`,
    );
    return rows.map(({ id }) => id);
  }

  /** The days of an audit that are being repaired. */
  repairing(audit: number): Promise<DayProofEntity[]> {
    const sql = `SELECT * FROM day_proofs WHERE audit_id = ? AND state = 'repairing' ORDER BY resource, provider, day`;
    return this.reader.rows(sql, [audit]);
  }

  /** For a cancelled audit: its days are not compared again. */
  async leaveRepairs(tx: Tx, audit: number): Promise<void> {
    const left = `state = 'different', look_due_at = NULL`;
    await tx.execute(`UPDATE day_proofs SET ${left} WHERE audit_id = ? AND state = 'repairing'`, [audit]);
  }
}
