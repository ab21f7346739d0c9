import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import type { WorkerLoop, WorkOutcome } from '../../storage/work/worker-loop.js';
import { WorkerRegistry } from '../../storage/work/worker-registry.js';
import { RECOVERY_EVERY_MS } from '../streams/tuning.js';
import type { RecoveryEntity } from './recovery.entity.js';
import { RecoveryRepository } from './recovery.repository.js';
import { RecoveryTelemetry } from './recovery.telemetry.js';
import { RecoveryEnd } from './recovery-end.js';
import { RecoveryPlanner } from './recovery-planner.js';

/*
 * Makes up for an outage.
 *
 *   (none)    --requested-->      planning  an open identical one absorbs the request
 *   planning  --batch stored-->   planning  the pulls of some accounts, and the last of these accounts
 *   planning  --accounts end-->   pulling   the pull worker pulls at the lowest priority
 *   pulling   --all have ended--> done      each pull is done or failed; the row has the counts
 *
 * Needs no lease, because a batch is planned under the lock of its recovery, without a call to upstream. After a crash,
 * planning continues after the last batch; the pulls do not depend on it (pull-turn.ts).
 */

@Injectable()
export class RecoveryWorker {
  readonly loop: WorkerLoop;

  constructor(
    private readonly planner: RecoveryPlanner,
    private readonly end: RecoveryEnd,
    private readonly recoveries: RecoveryRepository,
    private readonly telemetry: RecoveryTelemetry,
    private readonly clock: Clock,
    workers: WorkerRegistry,
  ) {
    this.loop = workers.register({ name: 'recovery', everyMs: RECOVERY_EVERY_MS, work: () => this.work() });
  }

  private async work(): Promise<WorkOutcome> {
    const open = await this.recoveries.open();
    const toPlan = open.some(({ state }) => state === 'planning');
    const planned = toPlan ? await this.planner.planNext(this.clock.now()) : null;
    if (planned) this.telemetry.batchPlanned(planned);
    const finished = await this.finish(open.filter(({ state }) => state === 'pulling'));
    return planned !== null || finished > 0 ? 'more' : 'idle';
  }

  private async finish(pulling: readonly RecoveryEntity[]): Promise<number> {
    let finished = 0;
    for (const recovery of pulling) {
      const ended = await this.end.finishIfEnded(recovery, this.clock.now());
      if (!ended) continue;
      finished += 1;
      this.telemetry.finished(ended);
    }
    return finished;
  }
}
