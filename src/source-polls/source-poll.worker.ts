import { Injectable } from '@nestjs/common';
import { AccountsService, type SourcePollRow } from '../accounts/accounts.service.js';
import { WriteLane } from '../database/write-lane.js';
import { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import { newId } from '../platform/ids.js';
import { judge } from '../pulls/failure-policy.js';
import { Loops } from '../work/loops.js';
import type { WorkerLoop, WorkOutcome } from '../work/worker-loop.js';
import { POLL_INTERVAL_MS } from './next-poll-delay.js';
import { SourcePoll } from './source-poll.js';
import { SourcePollApplier } from './source-poll-applier.js';
import { SourcePollsTelemetry } from './source-polls.telemetry.js';

/*
 * Polls the sources of accounts, since upstream has no event for a disconnection or a failed pull, and events of a
 * connection or a finished pull may be lost. A poll is made outside any transaction; its result and the time of the next
 * one are stored together. A crash in between leaves the poll leased, to be made again when the lease ends.
 */

const everyMs = 1_000;
const POLLS_PER_ROUND = 8;
const LEASE_MS = 300_000;

@Injectable()
export class SourcePollWorker {
  readonly loop: WorkerLoop;
  private readonly owner = newId();

  constructor(
    private readonly poll: SourcePoll,
    private readonly applier: SourcePollApplier,
    private readonly accounts: AccountsService,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    private readonly telemetry: SourcePollsTelemetry,
    loops: Loops,
  ) {
    this.loop = loops.make('source-check', everyMs, (signal) => this.work(signal));
  }

  private async work(signal: AbortSignal): Promise<WorkOutcome> {
    const now = this.clock.now();
    const claim = { owner: this.owner, now, leaseUntil: now + LEASE_MS, limit: POLLS_PER_ROUND };
    const due = await this.lane.run((tx) => this.accounts.polls.claim(tx, claim));
    await Promise.all(due.map((check) => this.check(check, signal)));
    return due.length > 0 ? 'more' : 'idle';
  }

  private async check(check: SourcePollRow, signal: AbortSignal): Promise<void> {
    const { account_id: ref } = check;
    try {
      const userId = await this.userOf(ref);
      if (userId === null) return await this.defer(ref, 'account_not_ready', POLL_INTERVAL_MS);
      const result = await this.poll.take(userId, signal);
      const report = await this.lane.run((tx) => this.applier.apply(tx, ref, result));
      report();
      this.telemetry.polled(ref);
    } catch (error) {
      if (error instanceof AppError && error.code === 'storage_unavailable') throw error;
      if (signal.aborted) return await this.defer(ref, 'stopped', 0);
      const verdict = judge(error, { failures: check.attempts, restarts: 0 }, false);
      await this.defer(ref, verdict.code, verdict.then === 'defer' ? verdict.delayMs : POLL_INTERVAL_MS, error);
    }
  }

  private async userOf(ref: number): Promise<string | null> {
    const account = await this.accounts.findById(ref);
    return account && account.status !== 'erasing' ? account.upstream_user_id : null;
  }

  private async defer(ref: number, code: string, delayMs: number, error?: unknown): Promise<void> {
    const dueAt = this.clock.now() + delayMs;
    await this.lane.run((tx) => this.accounts.polls.defer(tx, ref, { code, dueAt }));
    this.telemetry.deferred(ref, code, delayMs, error);
  }
}
