import { Injectable } from '@nestjs/common';
import { AccountsService, type SourcePollRow } from '../../accounts/accounts/accounts.service.js';
import { Clock } from '../../platform/platform/clock.js';
import type { Tx } from '../../storage/database/tx.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import type { Judgement } from '../../storage/work/retry.js';
import type { WorkerLoop } from '../../storage/work/worker-loop.js';
import { WorkerRegistry } from '../../storage/work/worker-registry.js';
import { UpstreamError } from '../../upstream/transport/upstream-error.js';
import { judgePull, pullRetry } from '../pulls/pull-requests.service.js';
import { DeviceLooks } from './device-looks.js';
import { REFUSED_PAUSE_MS } from './next-poll-delay.js';
import { type EverybodysPulls, SourcePoll, USERS_PER_PAGE } from './source-poll.js';
import { SourcePollApplier } from './source-poll-applier.js';
import { SourcePollsTelemetry } from './source-polls.telemetry.js';

/*
 * Polls the sources of accounts, since upstream has no event for a disconnection or a failed pull, and events of a
 * connection or a finished pull may be lost. A poll is made outside any transaction; its result and the time of the
 * next one are stored together. A crash in between leaves the poll leased, to be made again when the lease ends. One
 * whose tries are spent, or that is refused, is made again after some hours. There is none after a user is gone,
 * until the account is relinked. Leases: work/leased-rows.ts.
 */

const everyMs = 1_000;
const batch = 8;

@Injectable()
export class SourcePollWorker {
  readonly loop: WorkerLoop;
  /** One walk over the pulls of all users serves all polls that were claimed together. */
  private readonly walks = new WeakMap<readonly SourcePollRow[], Promise<EverybodysPulls | null>>();

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
      everyMs,
      batch,
      sideBySide: true,
      rows: polls.rows,
      retry: pullRetry,
      judge,
      claim: (tx, now) => polls.claim(tx, now, batch),
      handle: (held, signal, polled) => this.make(held, polled, signal),
      bury: (tx, held, code) => this.untilNextTime(tx, held, code),
      deferred: (held, { code, delayMs }, error) => telemetry.deferred(held.account_id, code, delayMs, error),
      buried: (held, code, error) => telemetry.deferred(held.account_id, code, REFUSED_PAUSE_MS, error),
    });
  }

  private async make(held: SourcePollRow, polled: readonly SourcePollRow[], signal: AbortSignal): Promise<void> {
    const account = await this.accounts.findById(held.account_id);
    const userId = account?.status === 'erasing' ? null : (account?.upstream_user_id ?? null);
    if (account === null || userId === null) return this.notReady(held);
    const withDevices = await this.devices.isDue(account.id);
    const result = await this.poll
      .take({ account: account.id, userId, withDevices }, this.everybodyOnce(polled, signal), signal)
      .catch(async (error: unknown) => {
        const isUnknown = error instanceof UpstreamError && error.isNotFound;
        if (isUnknown && (await this.accounts.relinking.confirmGone(account, { priority: 'background', signal })))
          return null;
        throw error;
      });
    if (result === null) return this.end(held);
    await this.lane.run((tx) => this.applier.apply(tx, held, result));
    this.telemetry.polled(held.account_id, result.cutOff);
  }

  private everybodyOnce(polled: readonly SourcePollRow[], signal: AbortSignal): Promise<EverybodysPulls | null> {
    const begun = this.walks.get(polled);
    if (begun) return begun;
    const walk = this.everybody(polled.length, signal);
    // The poll awaits it later; a failure before that must not end the process.
    walk.catch(() => undefined);
    this.walks.set(polled, walk);
    return walk;
  }

  /** One walk over all users if that takes fewer calls than one call per user. */
  private async everybody(polled: number, signal: AbortSignal): Promise<EverybodysPulls | null> {
    if (polled < 2) return null;
    const { accounts } = await this.accounts.countPullable();
    return Math.ceil(accounts / USERS_PER_PAGE) < polled ? this.poll.everybody(polled, signal) : null;
  }

  /** Upstream no longer has the user: its sources are gone, and are not asked for until the account is relinked. */
  private async end(held: SourcePollRow): Promise<void> {
    await this.lane.run((tx) => this.applier.end(tx, held));
    this.telemetry.ended(held.account_id);
  }

  private async notReady(held: SourcePollRow): Promise<void> {
    const code = 'account_not_ready';
    await this.lane.run((tx) => this.untilNextTime(tx, held, code));
    this.telemetry.deferred(held.account_id, code, REFUSED_PAUSE_MS);
  }

  private untilNextTime(tx: Tx, held: SourcePollRow, code: string): Promise<SourcePollRow> {
    return this.accounts.polls.rows.complete(tx, held, this.clock.now() + REFUSED_PAUSE_MS, { error_code: code });
  }
}

function judge(error: unknown): Judgement {
  const judgement = judgePull(error, false);
  return judgement.then === 'restart' ? { ...judgement, then: 'final' } : judgement;
}
