import { Injectable } from '@nestjs/common';
import { pulledResources, resourceByName } from '../../health/catalogue/catalogue.js';
import { type DueLook, MissingRecords } from '../../health/gone/missing-records.service.js';
import { Clock } from '../../platform/platform/clock.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import type { WorkerLoop } from '../../storage/work/worker-loop.js';
import { WorkerRegistry } from '../../storage/work/worker-registry.js';
import { MISSING_LOOKS_EVERY_MS } from '../streams/tuning.js';
import { lookMargin } from './complete-looks.service.js';
import { wholeHours } from './page-fetcher.js';
import { PullRequests } from './pull-requests.service.js';
import { type PullRequest } from './pull-tasks.repository.js';

/**
 * Requests pulls of ranges in which a record was missing, once they are due. A request and the next due time are stored
 * together, so a crash loses none, and a pull that did not become a complete look is requested again.
 */
@Injectable()
export class MissingLooksWorker {
  readonly loop: WorkerLoop;

  constructor(
    private readonly missing: MissingRecords,
    private readonly pulls: PullRequests,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    workers: WorkerRegistry,
  ) {
    workers.registerDueTimes(missing);
    this.loop = workers.register({
      name: 'missing-looks',
      everyMs: MISSING_LOOKS_EVERY_MS,
      work: async () => {
        if (!(await this.missing.hasDue())) return 'idle';
        await this.lane.run(async (tx) => {
          for (const due of await this.missing.takeDue(tx)) {
            if (pulledResources.includes(due.resource)) await this.pulls.request(tx, this.requestOf(due));
          }
        });
        return 'more';
      },
    });
  }

  private requestOf({ account, provider, resource, range }: DueLook): PullRequest {
    const known = resourceByName(resource);
    const around = known ? lookMargin(provider, known) : 0;
    const { start, end } = wholeHours({ start: range.start - around, end: range.end + around });
    const now = this.clock.now();
    return { account, provider, resource, origin: 'reread', start, end: Math.max(Math.min(end, now), start + 1) };
  }
}
