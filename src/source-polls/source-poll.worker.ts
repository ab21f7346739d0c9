import { Injectable } from '@nestjs/common';
import { AccountsService } from '../accounts/accounts.service.js';
import { type SourcePollRow, SourcePolls } from '../accounts/source-polls.service.js';
import { WriteLane } from '../database/write-lane.js';
import { AppError } from '../platform/errors.js';
import { newId } from '../platform/ids.js';
import { judge } from '../pulls/failure-policy.js';
import { SyncContext } from '../pulls/sync-context.js';
import { Loops } from '../work/loops.js';
import type { WorkerLoop, WorkOutcome } from '../work/worker-loop.js';
import { POLL_INTERVAL_MS } from './next-poll-delay.js';
import { SourcePoll } from './source-poll.js';
import { SourcePollApplier } from './source-poll-applier.js';

/*
 * Looks at the sources of accounts, since upstream has no event for a disconnection or a failed pull, and events of a
 * connection or a finished pull may be lost. A look is taken outside any transaction; what it tells, and the time of the
 * next look, are stored together. A crash in between leaves the check leased, to be done again when the lease ends.
 */

const everyMs = 1_000;
const CHECKS_PER_ROUND = 8;
const LEASE_MS = 300_000;

/** The two halves of a check: asking upstream, storing what it said. */
@Injectable()
export class Sources {
  constructor(
    readonly look: SourcePoll,
    readonly store: SourcePollApplier,
  ) {}
}

@Injectable()
export class SourcePollWorker {
  readonly loop: WorkerLoop;
  private readonly owner = newId();

  constructor(
    private readonly sources: Sources,
    private readonly checks: SourcePolls,
    private readonly accounts: AccountsService,
    private readonly lane: WriteLane,
    private readonly context: SyncContext,
    loops: Loops,
  ) {
    this.loop = loops.make('source-check', everyMs, (signal) => this.work(signal));
  }

  private async work(signal: AbortSignal): Promise<WorkOutcome> {
    const now = this.context.clock.now();
    const claim = { owner: this.owner, now, leaseUntil: now + LEASE_MS, limit: CHECKS_PER_ROUND };
    const due = await this.lane.run((tx) => this.checks.claim(tx, claim));
    await Promise.all(due.map((check) => this.check(check, signal)));
    return due.length > 0 ? 'more' : 'idle';
  }

  private async check(check: SourcePollRow, signal: AbortSignal): Promise<void> {
    const { account_id: ref } = check;
    try {
      const userId = await this.userOf(ref);
      if (userId === null) return await this.defer(ref, 'account_not_ready', POLL_INTERVAL_MS);
      const look = await this.sources.look.take(userId, signal);
      const report = await this.lane.run((tx) => this.sources.store.apply(tx, ref, look));
      report();
      this.context.events.looked(ref);
    } catch (error) {
      if (error instanceof AppError && error.code === 'storage_unavailable') throw error;
      if (signal.aborted) return await this.defer(ref, 'stopped', 0);
      const verdict = judge(error, { failures: check.attempts, restarts: 0 }, false);
      await this.defer(ref, verdict.code, verdict.then === 'defer' ? verdict.delayMs : POLL_INTERVAL_MS, error);
    }
  }

  private async userOf(ref: number): Promise<string | null> {
    const account = await this.accounts.findByRef(ref);
    return account && account.status !== 'erasing' ? account.upstream_user_id : null;
  }

  private async defer(ref: number, code: string, delayMs: number, error?: unknown): Promise<void> {
    const dueAt = this.context.clock.now() + delayMs;
    await this.lane.run((tx) => this.checks.defer(tx, ref, { code, dueAt }));
    this.context.events.lookDeferred(ref, code, delayMs, error);
  }
}
