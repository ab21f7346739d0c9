import { Injectable } from '@nestjs/common';
import { accountIdOfExternalId, externalIdColumn, joinAccount } from '../../accounts/accounts/account-sql.js';
import { oneOf } from '../../storage/database/columns.js';
import { Conditions } from '../../storage/database/conditions.js';
import { insertion } from '../../storage/database/dialect.js';
import { Reader } from '../../storage/database/reader.js';
import type { Tx } from '../../storage/database/tx.js';
import type { LeaseColumns } from '../../storage/work/lease-columns.js';
import { LeasedRows } from '../../storage/work/leased-rows.js';
import { ParsingJobEntity } from './parsing-job.entity.js';

/** A job without its content. */
export type ListedJob = Pick<
  ParsingJobEntity,
  | 'job_id'
  | 'order_id'
  | 'status'
  | 'created_at'
  | 'updated_at'
  | 'first_seen_at'
  | 'observed_at'
  | 'due_at'
  | 'error_code'
> & {
  /** The customer's id of the account. */
  readonly external_id: string;
};

export interface JobFilter {
  readonly externalId?: string | undefined;
  readonly orderId?: string | undefined;
  /** Only jobs whose read was given up. */
  readonly givenUp?: boolean | undefined;
  readonly after: readonly [firstSeenAt: number, jobId: string] | null;
  readonly limit: number;
}

const shown = `j.job_id, ${externalIdColumn} AS external_id, j.order_id, j.status, j.created_at, j.updated_at,
  j.first_seen_at, j.observed_at, j.due_at, j.error_code`;
const fromJobs = `FROM parsing_jobs j ${joinAccount('j.account_id')}`;

/** Upstream's words of a job that has ended. */
export const endWords: readonly string[] = ['completed', 'failed'];

/** SQL: the job has ended. Upstream's events arrive in any order and have no time. */
function hasEnded(of: string): string {
  return oneOf(`COALESCE(${of}.status, '')`, endWords);
}

/** SQL: a word with a time of its own that upstream does not document as an earlier state. */
const isLaterWord = `(excluded.updated_at IS NOT NULL AND excluded.status NOT IN ('upload_pending', 'started'))`;

/** SQL: a job that was not read until it ended. */
export const wasGivenUp = 'due_at IS NULL AND error_code IS NOT NULL';

/** A job as an event or a read shows it. */
export type ShownJob = Omit<ParsingJobEntity, 'attempts' | 'error_code' | keyof LeaseColumns>;

@Injectable()
export class ParsingJobsRepository {
  readonly rows = new LeasedRows(ParsingJobEntity);

  constructor(private readonly reader: Reader) {}

  /**
   * Ignores an event that is older than the stored one or about another account, and one of a job that had not ended
   * yet if it has ended, or not been reviewed yet if it has. A job that has not ended is due to be read; one whose read
   * was given up is due again.
   */
  async save(tx: Tx, row: ShownJob): Promise<void> {
    const given = insertion({ ...row });
    await tx.execute(
      `INSERT INTO parsing_jobs ${given.row} ON CONFLICT (job_id) DO UPDATE SET
         order_id = COALESCE(excluded.order_id, parsing_jobs.order_id), status = excluded.status, is_reviewed = excluded.is_reviewed,
         created_at = excluded.created_at, updated_at = excluded.updated_at, content = excluded.content,
         observed_at = excluded.observed_at,
         due_at = CASE WHEN excluded.due_at IS NULL THEN NULL ELSE COALESCE(parsing_jobs.due_at, excluded.due_at) END,
         attempts = CASE WHEN parsing_jobs.due_at IS NULL THEN 0 ELSE parsing_jobs.attempts END,
         error_code = CASE WHEN excluded.due_at IS NULL OR parsing_jobs.due_at IS NULL THEN NULL
           ELSE parsing_jobs.error_code END
       WHERE parsing_jobs.account_id = excluded.account_id
         AND (${hasEnded('excluded')} OR NOT ${hasEnded('parsing_jobs')} OR ${isLaterWord}) AND excluded.is_reviewed >= parsing_jobs.is_reviewed
         AND COALESCE(excluded.updated_at, parsing_jobs.updated_at, 0) >= COALESCE(parsing_jobs.updated_at, 0)
         AND (excluded.updated_at > parsing_jobs.updated_at OR excluded.observed_at >= parsing_jobs.observed_at)`,
      given.values,
    );
  }

  /** Ends the held read; the job is due again only if a newer event says so. */
  async finish(tx: Tx, held: ParsingJobEntity): Promise<void> {
    const now = await this.rows.waiting(tx, [held.job_id]);
    if (now) await this.rows.complete(tx, held, now.due_at);
  }

  async ownerOf(jobId: string): Promise<number | null> {
    const sql = 'SELECT account_id FROM parsing_jobs WHERE job_id = ?';
    const row = await this.reader.row<Pick<ParsingJobEntity, 'account_id'>>(sql, [jobId]);
    return row?.account_id ?? null;
  }

  page(filter: JobFilter): Promise<ListedJob[]> {
    const conditions = new Conditions()
      .add(`j.account_id = ${accountIdOfExternalId}`, filter.externalId)
      .add('j.order_id = ?', filter.orderId)
      .add('(j.first_seen_at, j.job_id) < (?, ?)', filter.after?.[0], filter.after?.[1]);
    if (filter.givenUp === true) conditions.add(`j.due_at IS NULL AND j.error_code IS NOT NULL`);
    return this.reader.rows(
      `SELECT ${shown} ${fromJobs} ${conditions.where} ORDER BY j.first_seen_at DESC, j.job_id DESC LIMIT ?`,
      [...conditions.values, filter.limit],
    );
  }

  find(jobId: string): Promise<(ListedJob & Pick<ParsingJobEntity, 'content'>) | null> {
    return this.reader.row(`SELECT ${shown}, j.content ${fromJobs} WHERE j.job_id = ?`, [jobId]);
  }
}
