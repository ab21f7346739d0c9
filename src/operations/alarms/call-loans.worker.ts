import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { ThisProcess } from '../../platform/platform/this-process.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import type { WorkerLoop, WorkOutcome } from '../../storage/work/worker-loop.js';
import { WorkerRegistry } from '../../storage/work/worker-registry.js';
import { Budget } from '../../upstream/transport/budget.js';
import { AlarmsRepository } from './alarms.repository.js';
import { LOAN_MS } from './call-loans.js';
import { LoanKeeper } from './loan-keeper.js';

/**
 * Lends and borrows calls to upstream in every process. One that has no call waiting writes at most every ten seconds,
 * one that is alone nothing.
 */
@Injectable()
export class CallLoansWorker {
  readonly loop: WorkerLoop;

  constructor(
    repository: AlarmsRepository,
    lane: WriteLane,
    budget: Budget,
    thisProcess: ThisProcess,
    clock: Clock,
    workers: WorkerRegistry,
  ) {
    const { instance } = thisProcess;
    const keeper = new LoanKeeper(budget, thisProcess, clock, (decide) =>
      lane.run((tx) => repository.changeLoans(tx, instance, decide)),
    );
    const work = async (): Promise<WorkOutcome> => {
      await keeper.look();
      return 'idle';
    };
    this.loop = workers.register({ name: 'call_loans', everyMs: LOAN_MS / 2, inEveryRole: true, work });
  }
}
