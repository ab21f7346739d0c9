import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import type { WorkerLoop, WorkOutcome } from '../../storage/work/worker-loop.js';
import { WorkerRegistry } from '../../storage/work/worker-registry.js';
import { UpstreamError } from '../../upstream/transport/upstream-error.js';
import { MAX_PENDING_A_ROUND, PENDING_ACCOUNTS_EVERY_MS } from '../erasure-guard/tuning.js';
import type { AccountEntity } from './account.entity.js';
import { AccountMapping } from './account-mapping.js';
import { AccountsRepository } from './accounts.repository.js';
import { AccountsTelemetry } from './accounts.telemetry.js';

/**
 * Finishes accounts that a crash, a lost response or a refusal left pending. Needs no lease: two processes that finish
 * the same account get the same upstream user.
 */
@Injectable()
export class PendingAccountsWorker {
  readonly loop: WorkerLoop;

  constructor(
    private readonly accounts: AccountsRepository,
    private readonly mapping: AccountMapping,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    private readonly telemetry: AccountsTelemetry,
    workers: WorkerRegistry,
  ) {
    this.loop = workers.register({
      name: 'accounts',
      everyMs: PENDING_ACCOUNTS_EVERY_MS,
      work: (signal) => this.round(signal),
    });
  }

  private async round(signal: AbortSignal): Promise<WorkOutcome> {
    const pending = await this.accounts.duePending(this.clock.now(), MAX_PENDING_A_ROUND);
    for (const account of pending) {
      if (signal.aborted || !(await this.finish(account, signal))) return 'idle';
    }
    return pending.length > 0 ? 'more' : 'idle';
  }

  /** False if upstream is unavailable, so that there is no point in trying other accounts now. */
  private async finish(account: AccountEntity, signal: AbortSignal): Promise<boolean> {
    try {
      await this.mapping.ensure(account.account_id, {}, { priority: 'background', signal });
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      await this.lane.run((tx) => this.accounts.touchPending(tx, account.id, this.clock.now()));
      this.telemetry.failed('deferred', account.id, error);
      return !(error instanceof UpstreamError && error.isTransient);
    }
  }
}
