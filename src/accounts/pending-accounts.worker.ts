import { Injectable } from '@nestjs/common';
import { UpstreamError } from '../upstream-transport/upstream-error.js';
import { Loops } from '../work/loops.js';
import type { WorkerLoop, WorkOutcome } from '../work/worker-loop.js';
import type { AccountEntity } from './account.entity.js';
import { AccountsService } from './accounts.service.js';

const everyMs = 60_000;
const batchSize = 20;

/**
 * Finishes accounts that were left pending by a crash, a lost answer or a refusal. Needs no lease: two processes that
 * finish the same account end with the same upstream user.
 */
@Injectable()
export class PendingAccountsWorker {
  readonly loop: WorkerLoop;

  constructor(
    private readonly accounts: AccountsService,
    loops: Loops,
  ) {
    this.loop = loops.make('accounts', everyMs, (signal) => this.round(signal));
  }

  private async round(signal: AbortSignal): Promise<WorkOutcome> {
    const pending = await this.accounts.listDuePending(batchSize);
    for (const account of pending) {
      if (signal.aborted || !(await this.finish(account, signal))) return 'idle';
    }
    return pending.length > 0 ? 'more' : 'idle';
  }

  /** False when upstream cannot be reached, so that trying the others now is pointless. */
  private async finish(account: AccountEntity, signal: AbortSignal): Promise<boolean> {
    try {
      await this.accounts.ensure(account.account_id, { priority: 'background', signal });
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      await this.accounts.deferPending(account, error);
      return !(error instanceof UpstreamError && error.isTransient);
    }
  }
}
