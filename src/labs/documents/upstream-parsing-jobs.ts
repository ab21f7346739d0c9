import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { UpstreamClient } from '../../upstream/client/upstream.client.js';
import type { CallOptions } from '../../upstream/transport/call.js';
import type { ParsingJobEntity } from './parsing-job.entity.js';
import { ParsingJobs } from './parsing-jobs.service.js';

/** Reads parsing jobs from upstream and stores them. */
@Injectable()
export class UpstreamParsingJobs {
  constructor(
    private readonly client: UpstreamClient,
    private readonly jobs: ParsingJobs,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
  ) {}

  /** False if upstream does not return the job. Throws `UpstreamError`. */
  async readAndStore(
    { job_id: jobId, account_id: account }: Pick<ParsingJobEntity, 'job_id' | 'account_id'>,
    options: CallOptions,
  ): Promise<boolean> {
    const at = this.clock.now();
    const data = await this.client.parsingJob(jobId, options);
    if (data === null) return false;
    await this.lane.run((tx) => this.jobs.apply(tx, { jobId, orderId: null, data }, { account, at }));
    return true;
  }
}
