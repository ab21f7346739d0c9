import { Injectable } from '@nestjs/common';
import { AccountsService, type SourcePollRow } from '../accounts/accounts.service.js';
import type { Tx } from '../database/tx.js';
import { WriteLane } from '../database/write-lane.js';
import { Clock } from '../platform/clock.js';
import { judgePull, pullRetry } from '../pulls/pulls.service.js';
import type { Judgement } from '../work/retry.js';
import type { WorkerLoop } from '../work/worker-loop.js';
import { WorkerRegistry } from '../work/worker-registry.js';
import { POLL_INTERVAL_MS } from './next-poll-delay.js';
import { SourcePoll } from './source-poll.js';
import { SourcePollApplier } from './source-poll-applier.js';
import { SourcePollsTelemetry } from './source-polls.telemetry.js';

/*
 * Polls the sources of accounts, since upstream has no event for a disconnection or a failed pull, and events of a
 * connection or a finished pull may be lost. A poll is made outside any transaction; its result and the time of the
 * next one are stored together. A crash in between leaves the poll leased, to be made again when the lease ends. One
 * whose tries are spent, or that is refused, is made again at its regular time. Leases: work/leased-rows.ts.
 */

const everyMs = 1_000;
const batch = 8;

@Injectable()
export class SourcePollWorker {
  readonly loop: WorkerLoop;

  constructor(
    private readonly poll: SourcePoll,
    private readonly applier: SourcePollApplier,
    private readonly accounts: AccountsService,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    private readonly telemetry: SourcePollsTelemetry,
    workers: WorkerRegistry,
  ) {
    const { polls } = accounts;
    this.loop = workers.registerQueue({
      ...{ name: 'source-poll', everyMs, batch, sideBySide: true, rows: polls.rows, retry: pullRetry, judge },
      claim: (tx, now) => polls.claim(tx, now, batch),
      handle: (held, signal) => this.make(held, signal),
      bury: (tx, held, code) => this.untilNextTime(tx, held, code),
      deferred: (held, { code, delayMs }, error) => telemetry.deferred(held.account_id, code, delayMs, error),
      buried: (held, code, error) => telemetry.deferred(held.account_id, code, POLL_INTERVAL_MS, error),
    });
  }

  private async make(held: SourcePollRow, signal: AbortSignal): Promise<void> {
    const userId = await this.userOf(held.account_id);
    if (userId === null) return this.notReady(held);
    const result = await this.poll.take(userId, signal);
    const report = await this.lane.run((tx) => this.applier.apply(tx, held, result));
    report();
    this.telemetry.polled(held.account_id);
  }

  private async userOf(ref: number): Promise<string | null> {
    const account = await this.accounts.findById(ref);
    return account && account.status !== 'erasing' ? account.upstream_user_id : null;
  }

  private async notReady(held: SourcePollRow): Promise<void> {
    const code = 'account_not_ready';
    await this.lane.run((tx) => this.untilNextTime(tx, held, code));
    this.telemetry.deferred(held.account_id, code, POLL_INTERVAL_MS);
  }

  private untilNextTime(tx: Tx, held: SourcePollRow, code: string): Promise<SourcePollRow> {
    return this.accounts.polls.rows.complete(tx, held, this.clock.now() + POLL_INTERVAL_MS, { error_code: code });
  }
}

function judge(error: unknown): Judgement {
  const judgement = judgePull(error, false);
  return judgement.then === 'restart' ? { ...judgement, then: 'final' } : judgement;
}
