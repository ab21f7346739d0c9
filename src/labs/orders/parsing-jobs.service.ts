import { Injectable } from '@nestjs/common';
import { ErasureGuard } from '../../accounts/erasure-guard/erasure-guard.service.js';
import { orNotFound } from '../../platform/platform/errors.js';
import { codeOrOther, type WireFields } from '../../platform/platform/json-reader.js';
import { decodeCursor, type Page, pageOf } from '../../platform/platform/paging.js';
import { parseUtcInstant } from '../../platform/platform/time.js';
import type { Tx } from '../../storage/database/tx.js';
import { type JobFilter, type ListedJob, ParsingJobsRepository } from './parsing-jobs.repository.js';

export type { ListedJob } from './parsing-jobs.repository.js';

export interface ParsingJob extends ListedJob {
  /** The `data` of the newest event. */
  readonly content: WireFields;
}

/** Lab reports that upstream parses. They come only from events, because upstream documents no call for them. */
@Injectable()
export class ParsingJobs {
  constructor(
    private readonly jobs: ParsingJobsRepository,
    private readonly guard: ErasureGuard,
  ) {}

  /**
   * Applies the `data` of `lab_report.parsing_job.*`, received at `at`. The newest event of a job, by `updated_at` or
   * else by receipt, replaces older ones, but a job that has ended or was reviewed stays so.
   */
  async apply(
    tx: Tx,
    { jobId, orderId, data }: { jobId: string; orderId: string | null; data: WireFields },
    { account, at }: { account: number; at: number },
  ): Promise<void> {
    if (!(await this.guard.isWritable(tx, account))) return;
    await this.jobs.save(tx, {
      job_id: jobId,
      account_id: account,
      order_id: orderId,
      status: codeOrOther(data.status),
      is_reviewed: data['is_reviewed'] === true ? 1 : 0,
      created_at: parseUtcInstant(data.created_at),
      updated_at: parseUtcInstant(data.updated_at),
      content: JSON.stringify(data),
      first_seen_at: at,
      observed_at: at,
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
