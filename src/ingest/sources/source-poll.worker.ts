import { Injectable } from '@nestjs/common';
import { AccountsService, type SourcePollRow } from '../../accounts/accounts/accounts.service.js';
import { Clock } from '../../platform/platform/clock.js';
import type { Tx } from '../../storage/database/tx.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import type { WorkerLoop } from '../../storage/work/worker-loop.js';
import { WorkerRegistry } from '../../storage/work/worker-registry.js';
import { UpstreamError } from '../../upstream/transport/upstream-error.js';
import { judgeCall, pullRetry } from '../pulls/failure-policy.js';
import {
  MAX_POLLS_CLAIMED,
  POLL_REFUSED_PAUSE_MS,
  POLL_USER_EVERY_MS,
  SOURCE_POLL_EVERY_MS,
} from '../streams/tuning.js';
import { DeviceLooks } from './device-looks.js';
import { SourcePoll } from './source-poll.js';
import { SourcePollApplier } from './source-poll-applier.js';
import { SourcePollsTelemetry } from './source-polls.telemetry.js';

/*
 * Polls the sources of accounts, because upstream has no event for a disconnection or a failed pull, and events of a
 * connection or a finished pull may be lost. The calls run outside any transaction; the result and the time of the next
 * poll are stored together. After a crash in between, the poll is repeated when its lease ends. After a refusal, or if
 * no attempts are left, the next poll is some hours later. Once the user is gone upstream, there are no polls until the
 * account is relinked. Leases: work/leased-rows.ts.
 */

@Injectable()
export class SourcePollWorker {
  readonly loop: WorkerLoop;

  constructor(
    private readonly poll: SourcePoll,
    private readonly applier: SourcePollApplier,
    private readonly devices: DeviceLooks,
    private readonly accounts: AccountsService,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    private readonly telemetry: SourcePollsTelemetry,
    workers: WorkerRegistry,
  ) {
    const { polls } = accounts;
    this.loop = workers.registerQueue({
      name: 'source-poll',
      everyMs: SOURCE_POLL_EVERY_MS,
      batch: MAX_POLLS_CLAIMED,
      sideBySide: true,
      rows: polls.rows,
      retry: pullRetry,
      judge: judgeCall,
      claim: (tx, now) => polls.claim(tx, now, MAX_POLLS_CLAIMED),
      handle: (held, signal) => this.make(held, signal),
      bury: (tx, held, code) => this.untilNextTime(tx, held, code),
      deferred: (held, { code, delayMs }, error) => telemetry.deferred(held.account_id, code, delayMs, error),
      buried: (held, code, error) => telemetry.deferred(held.account_id, code, POLL_REFUSED_PAUSE_MS, error),
    });
  }

  private async make(held: SourcePollRow, signal: AbortSignal): Promise<void> {
    const account = await this.accounts.findById(held.account_id);
    const userId = account?.status === 'erasing' ? null : (account?.upstream_user_id ?? null);
    if (account === null || userId === null) return this.notReady(held);
    const withDevices = await this.devices.isDue(account.id);
    const withUser = this.clock.now() - (held.user_read_at ?? 0) >= POLL_USER_EVERY_MS;
    try {
      const result = await this.poll.take({ account: account.id, userId, withDevices, withUser }, signal);
      await this.lane.run((tx) => this.applier.apply(tx, held, result));
      this.telemetry.polled(held.account_id, result.cutOff);
    } catch (error) {
      const isUnknown = error instanceof UpstreamError && error.isNotFound;
      if (!isUnknown || !(await this.accounts.confirmGone(account, { priority: 'background', signal }))) throw error;
      await this.end(held);
    }
  }

  /** Upstream no longer has the user: marks the sources as gone and ends the polls. */
  private async end(held: SourcePollRow): Promise<void> {
    await this.lane.run((tx) => this.applier.end(tx, held));
    this.telemetry.ended(held.account_id);
  }

  private async notReady(held: SourcePollRow): Promise<void> {
    const code = 'account_not_ready';
    await this.lane.run((tx) => this.untilNextTime(tx, held, code));
    this.telemetry.deferred(held.account_id, code, POLL_REFUSED_PAUSE_MS);
  }

  private untilNextTime(tx: Tx, held: SourcePollRow, code: string): Promise<SourcePollRow> {
    return this.accounts.polls.rows.complete(tx, held, this.clock.now() + POLL_REFUSED_PAUSE_MS, { error_code: code });
  }
}
