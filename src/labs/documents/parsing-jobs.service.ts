import { Injectable } from '@nestjs/common';
import { isWritable } from '../../accounts/erasure-guard/open-accounts.js';
import { orNotFound } from '../../platform/platform/errors.js';
import { codeOrOther, type WireFields } from '../../platform/platform/json-reader.js';
import { decodeCursor, type Page, pageOf } from '../../platform/platform/paging.js';
import { parseUtcInstant } from '../../platform/platform/time.js';
import type { Tx } from '../../storage/database/tx.js';
import { PARSING_JOB_WAIT_MS } from '../keys/tuning.js';
import { endWords, type JobFilter, type ListedJob, ParsingJobsRepository } from './parsing-jobs.repository.js';

export function hasEnded(status: string | null): boolean {
  return status !== null && endWords.includes(status);
}

export interface ParsingJob extends ListedJob {
  /** The job as in the newest event or read. */
  readonly content: WireFields;
}

/** Lab reports that upstream parses. A job whose end is not known is read again, in case the event of it was lost. */
@Injectable()
export class ParsingJobs {
  constructor(private readonly jobs: ParsingJobsRepository) {}

  /**
   * Applies the job of `lab_report.parsing_job.*` or of a read, received at `at`. The newest event of a job, by
   * `updated_at` or else by receipt, replaces older ones, but a job that has ended or was reviewed stays so.
   */
  async apply(
    tx: Tx,
    { jobId, orderId, data }: { jobId: string; orderId: string | null; data: WireFields },
    { account, at }: { account: number; at: number },
  ): Promise<void> {
    if (!(await isWritable(tx, account))) return;
    const status = codeOrOther(data.status);
    await this.jobs.save(tx, {
      job_id: jobId,
      account_id: account,
      order_id: orderId,
      status,
      is_reviewed: data['is_reviewed'] === true ? 1 : 0,
      created_at: parseUtcInstant(data.created_at),
      updated_at: parseUtcInstant(data.updated_at),
      content: JSON.stringify(data),
      first_seen_at: at,
      observed_at: at,
      due_at: hasEnded(status) ? null : at + PARSING_JOB_WAIT_MS,
    });
  }

  /** The account (`accounts.id`) of a job; null if the job is unknown. */
  ownerOf(jobId: string): Promise<number | null> {
    return this.jobs.ownerOf(jobId);
  }

  /** Newest first. Throws `invalid_request` for an invalid cursor. */
  async list({
    cursor,
    ...filter
  }: Omit<JobFilter, 'after'> & { cursor?: string | undefined }): Promise<Page<ListedJob>> {
    const after = cursor === undefined ? null : decodeCursor(cursor, ['number', 'string']);
    const rows = await this.jobs.page({ ...filter, after, limit: filter.limit + 1 });
    return pageOf(rows, filter.limit, ({ first_seen_at, job_id }) => [first_seen_at, job_id]);
  }

  /** Throws `not_found`. */
  async get(jobId: string): Promise<ParsingJob> {
    const row = orNotFound(await this.jobs.find(jobId), 'There is no such parsing job.');
    return { ...row, content: JSON.parse(row.content) as WireFields };
  }
}
