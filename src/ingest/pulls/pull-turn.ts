import { Injectable } from '@nestjs/common';
import { type Account, AccountsService } from '../../accounts/accounts/accounts.service.js';
import { type Resource, resourceByName } from '../../health/catalogue/catalogue.js';
import { Clock } from '../../platform/platform/clock.js';
import { AppError } from '../../platform/platform/errors.js';
import { traced } from '../../platform/platform/traces.js';
import type { Tx } from '../../storage/database/tx.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { LeaseLost } from '../../storage/work/leased-rows.js';
import { abandonedCode, isSpent, type Verdict } from '../../storage/work/retry.js';
import { MAX_PAGES_A_TURN, MAX_PULL_TURN_MS } from '../streams/tuning.js';
import { CompleteLooks, type OpenLook } from './complete-looks.service.js';
import { pullRetry, type Restart, verdictOnPull } from './failure-policy.js';
import { HeldPull } from './held-pull.js';
import { PageFetcher } from './page-fetcher.js';
import { PageStore } from './page-store.js';
import type { PullTaskEntity } from './pull-task.entity.js';
import { PullsTelemetry } from './pulls.telemetry.js';

/*
 * A task is one window with a fixed end, pulled page by page.
 *
 *   (none)   --requested-->  pending   an identical unclaimed one absorbs the request
 *   pending  --claimed-->    running   under a lease, which is renewed while it runs
 *   running  --page-->       running   the page's last records, the next cursor and the counts in one transaction
 *   running  --last page-->  done      and, in the same transaction, coverage, the stream's high-water mark and the
 *                                      fetched historical pulls; then a complete look has missing records judged
 *   running  --yields-->     pending   after some pages, so that more urgent tasks get their turn
 *   running  --released-->   pending   the process is stopping
 *   running  --deferred-->   pending   upstream is busy or down, or its response is unreadable (a few times)
 *   running  --restarted-->  pending   from the first page: the cursor is unusable (twice at most)
 *   running  --buried-->     failed    see `error_code`
 *   running  --lease over--> claimable at the end of the lease; on SQLite, already at the next start
 *
 * A crash leaves a running task with the cursor of the first page that is not completely stored; the next claim
 * continues there. A holder that lost its lease notices when it stores its next page, which is rolled back.
 */

const notReady: Verdict = {
  then: 'defer',
  code: 'account_not_ready',
  delayMs: 30_000,
  counts: false,
  pauseMs: 0,
};

/** Milliseconds to wait before the next task, because upstream would reject it like this one. */
export type Pause = number;

type Ready = { readonly account: Account; readonly userId: string } | { readonly verdict: Verdict };

interface Turn {
  readonly task: PullTaskEntity;
  readonly resource: Resource;
  /** Null if the pull cannot become a complete look. */
  readonly look: OpenLook | null;
}

@Injectable()
export class PullTurn {
  constructor(
    private readonly accounts: AccountsService,
    private readonly fetcher: PageFetcher,
    private readonly pageStore: PageStore,
    private readonly heldPull: HeldPull,
    private readonly looks: CompleteLooks,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    private readonly telemetry: PullsTelemetry,
  ) {}

  /**
   * Works on a claimed task until it ends, is deferred or its turn is over. Rejects only if the database fails; the
   * caller must then release the task.
   */
  async run(task: PullTaskEntity, signal: AbortSignal): Promise<Pause> {
    const progress = { task };
    try {
      const { id: task_id, resource, provider, attempts } = task;
      return await traced(
        'pull.turn',
        { task_id, resource, provider, attempts },
        () => this.turn(progress, signal),
        {},
      );
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
      this.telemetry.leaseLost(progress.task);
      return 0;
    }
  }

  private async turn(progress: { task: PullTaskEntity }, signal: AbortSignal): Promise<Pause> {
    const ready = await this.prepare(progress.task);
    if ('verdict' in ready) return this.settle(progress.task, ready.verdict);
    let look: OpenLook | null = null;
    try {
      const resource = resourceOf(progress.task);
      look = await this.looks.begin(progress.task, resource, ready.account);
      const end = this.clock.monotonic() + MAX_PULL_TURN_MS;
      for (let page = 0; page < MAX_PAGES_A_TURN && this.clock.monotonic() < end && !signal.aborted; page++) {
        const { task } = progress;
        const next = (): Promise<PullTaskEntity> => this.page({ task, resource, look }, ready.userId, signal);
        progress.task = await traced('pull.page', { task_id: task.id, pages: task.pages + 1 }, next);
        if (progress.task.status === 'done') break;
      }
    } catch (error) {
      if (error instanceof LeaseLost) throw error;
      if (!signal.aborted) return this.settle(progress.task, verdictOf(error, progress.task), error);
    }
    const { task } = progress;
    if (task.status === 'done') {
      if (look) await this.looks.end(look, task, resourceOf(task));
      return 0;
    }
    await this.lane.run((tx) => {
      return signal.aborted ? this.heldPull.release(tx, task) : this.heldPull.yield(tx, task);
    });
    return 0;
  }

  private async page({ task, resource, look }: Turn, userId: string, signal: AbortSignal): Promise<PullTaskEntity> {
    const at = this.clock.now();
    const page = await this.fetcher.fetch(task, resource, userId, signal);
    const store = (): Promise<PullTaskEntity> => this.pageStore.store(task, resource, page, at);
    const after = await traced('pull.store', { task_id: task.id }, store);
    if (look) this.looks.note(look, page.records);
    this.telemetry.pageStored(task, { ...page.records, written: after.written - task.written });
    if (after.status === 'done') this.telemetry.done(after);
    return after;
  }

  private async prepare(task: PullTaskEntity): Promise<Ready> {
    if (isSpent(task, pullRetry)) return { verdict: { then: 'bury', code: abandonedCode } };
    const account = await this.accounts.findById(task.account_id);
    if (!account || account.status === 'erasing') return { verdict: { then: 'bury', code: 'account_gone' } };
    if (account.user_gone_at !== null) return { verdict: { then: 'bury', code: 'unknown_user' } };
    if (account.upstream_user_id !== null) return { account, userId: account.upstream_user_id };
    return { verdict: notReady };
  }

  private async settle(task: PullTaskEntity, verdict: Verdict | Restart, error?: unknown): Promise<Pause> {
    const now = this.clock.now();
    const { code } = verdict;
    switch (verdict.then) {
      case 'defer':
        await this.lane.run((tx) => {
          return this.heldPull.defer(tx, task, { dueAt: now + verdict.delayMs, code, counts: verdict.counts });
        });
        this.telemetry.deferred(task, code, verdict.delayMs, error);
        return verdict.pauseMs;
      case 'restart':
        await this.lane.run((tx) => this.heldPull.restart(tx, task, code));
        this.telemetry.restarted(task, code);
        return 0;
      case 'bury':
        this.telemetry.failed(await this.lane.run((tx) => this.bury(tx, task, code, error)), code, error);
        return 0;
    }
  }

  /** For an unknown user, requests a poll, which ends all pulls of the account if upstream really lost the user. */
  private async bury(tx: Tx, task: PullTaskEntity, code: string, error: unknown): Promise<PullTaskEntity> {
    const isUnknown = error !== undefined && code === 'unknown_user';
    if (isUnknown) await this.accounts.polls.request(tx, task.account_id);
    return this.heldPull.bury(tx, task, code);
  }
}

function resourceOf(task: PullTaskEntity): Resource {
  const resource = resourceByName(task.resource);
  if (!resource) throw new AppError('internal', 'A task names a resource that the catalogue lacks.');
  return resource;
}

/** Cursors of summaries are our own, so upstream cannot reject them. */
function verdictOf(error: unknown, task: PullTaskEntity): Verdict | Restart {
  const sentCursor = task.next_cursor !== null && resourceByName(task.resource)?.family !== 'summary';
  return verdictOnPull(error, task, sentCursor);
}
