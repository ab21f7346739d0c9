import { Injectable } from '@nestjs/common';
import { accountIdOfExternalId, externalIdColumn, joinAccount } from '../../accounts/accounts/account-sql.js';
import { Conditions } from '../../storage/database/conditions.js';
import { insertion } from '../../storage/database/dialect.js';
import { Reader } from '../../storage/database/reader.js';
import type { Tx } from '../../storage/database/tx.js';
import type { ParsingJobEntity } from './parsing-job.entity.js';

/** A job without its content. */
export type ListedJob = Omit<ParsingJobEntity, 'content' | 'account_id'> & {
  /** The customer's id of the account. */
  readonly external_id: string;
};

export interface JobFilter {
  readonly externalId?: string | undefined;
  readonly orderId?: string | undefined;
  readonly after: readonly [firstSeenAt: number, jobId: string] | null;
  readonly limit: number;
}

const shown = `j.job_id, ${externalIdColumn} AS external_id, j.order_id, j.status, j.created_at, j.updated_at,
  j.first_seen_at, j.observed_at`;
const fromJobs = `FROM parsing_jobs j ${joinAccount('j.account_id')}`;

/** SQL: the job has ended. Upstream's events arrive in any order and have no time. */
function hasEnded(of: string): string {
  return `COALESCE(${of}.status, '') IN ('completed', 'failed')`;
}

/** SQL: a word with a time of its own that upstream does not document as an earlier state. */
const isLaterWord = `(excluded.updated_at IS NOT NULL AND excluded.status NOT IN ('upload_pending', 'started'))`;

@Injectable()
export class ParsingJobsRepository {
  constructor(private readonly reader: Reader) {}

  /**
   * Ignores an event that is older than the stored one or about another account, and one of a job that had not ended
   * yet if it has ended, or not been reviewed yet if it has.
   */
  async save(tx: Tx, row: ParsingJobEntity): Promise<void> {
    const given = insertion({ ...row });
    await tx.execute(
      `INSERT INTO parsing_jobs ${given.row} ON CONFLICT (job_id) DO UPDATE SET
         order_id = COALESCE(excluded.order_id, parsing_jobs.order_id), status = excluded.status, is_reviewed = excluded.is_reviewed,
         created_at = excluded.created_at, updated_at = excluded.updated_at, content = excluded.content,
         observed_at = excluded.observed_at
       WHERE parsing_jobs.account_id = excluded.account_id
         AND (${hasEnded('excluded')} OR NOT ${hasEnded('parsing_jobs')} OR ${isLaterWord}) AND excluded.is_reviewed >= parsing_jobs.is_reviewed
         AND COALESCE(excluded.updated_at, parsing_jobs.updated_at, 0) >= COALESCE(parsing_jobs.updated_at, 0)
         AND (excluded.updated_at > parsing_jobs.updated_at OR excluded.observed_at >= parsing_jobs.observed_at)`,
      given.values,
    );
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
    return this.reader.rows(
      `SELECT ${shown} ${fromJobs} ${conditions.where} ORDER BY j.first_seen_at DESC, j.job_id DESC LIMIT ?`,
      [...conditions.values, filter.limit],
    );
  }

  find(jobId: string): Promise<(ListedJob & Pick<ParsingJobEntity, 'content'>) | null> {
    return this.reader.row(`SELECT ${shown}, j.content ${fromJobs} WHERE j.job_id = ?`, [jobId]);
  }
}
