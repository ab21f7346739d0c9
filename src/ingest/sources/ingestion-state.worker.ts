import { Injectable } from '@nestjs/common';
import { AccountsService } from '../../accounts/accounts/accounts.service.js';
import { Clock } from '../../platform/platform/clock.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { classifyPatiently } from '../../storage/work/retry.js';
import type { WorkerLoop } from '../../storage/work/worker-loop.js';
import { WorkerRegistry } from '../../storage/work/worker-registry.js';
import { UpstreamClient } from '../../upstream/client/upstream.client.js';
import { IngestionPage } from './ingestion-page.js';
import { IngestionStateTelemetry } from './ingestion-state.telemetry.js';
import { type IngestionWalk, IngestionWalkRepository } from './ingestion-walk.repository.js';

/*
 * Walks over what upstream says of its ingestion, 50 users a call, once an interval, and plans the pulls by it.
 *
 *   waiting  --due_at-->      walking  from the first page
 *   walking  --page read-->   walking  pulls and polls that follow from it, and the next cursor, in one transaction
 *   walking  --last page-->   waiting
 *   walking  --failure-->     walking  same page later, after a growing pause; a refusal waits for the next interval
 *
 * A crash reads one page again. Without a walk every stream is pulled as it was planned last: after an interval, or
 * after the longest one at the latest. Leases: work/leased-rows.ts.
 */

const everyMs = 1_000;
const retry = { pause: { baseMs: 10_000, capMs: 15 * 60_000, factor: 2, jitter: 0.2 }, mostAttempts: 5 };
const CALL_MS = 60_000;
/** Upstream's default; more is not documented. */
const USERS_PER_PAGE = 50;
/** Interval for checking that the walk does not have more pages than users. */
const PAGES_UNTIL_LOOK = 100;

@Injectable()
export class IngestionStateWorker {
  readonly loop: WorkerLoop;

  constructor(
    private readonly upstream: UpstreamClient,
    private readonly page: IngestionPage,
    private readonly walk: IngestionWalkRepository,
    private readonly accounts: AccountsService,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    private readonly telemetry: IngestionStateTelemetry,
    workers: WorkerRegistry,
  ) {
    this.loop = workers.registerQueue({
      name: 'ingestion-state',
      everyMs,
      batch: 1,
      rows: walk.rows,
      retry,
      judge: classifyPatiently,
      handle: (held, signal) => this.read(held, signal),
      bury: (tx, held, code) => walk.finish(tx, held, this.nextWalk(held), code),
      deferred: (_held, { code, delayMs }, error) => telemetry.deferred(code, delayMs, error),
      buried: (_held, code, error) => telemetry.deferred(code, page.rule.intervalMs, error),
    });
  }

  private async read(held: IngestionWalk, signal: AbortSignal): Promise<void> {
    const { intervalMs, longestMs } = this.page.rule;
    // Nothing could be put off.
    if (longestMs <= intervalMs) return this.end(held, null);
    const startedAt = held.walk_started_at ?? this.clock.now();
    const asked = { userLimit: USERS_PER_PAGE, cursor: held.next_cursor };
    const options = { priority: 'background', signal, deadlineMs: CALL_MS } as const;
    const { data, nextCursor } = await this.upstream.ingestionState(asked, options);
    const plan = await this.page.plan(data);
    const code = nextCursor === null ? null : await this.cutOff(held, nextCursor);
    const isLast = nextCursor === null || code !== null;
    await this.lane.run(async (tx) => {
      await this.page.act(tx, plan);
      if (isLast) await this.walk.finish(tx, held, this.nextWalk(held), code);
      else await this.walk.advance(tx, held, nextCursor, startedAt);
    });
    if (code !== null) this.telemetry.cutOff(code);
    else if (isLast) this.telemetry.walked(held.pages + 1);
  }

  private end(held: IngestionWalk, code: string | null): Promise<void> {
    return this.lane.run((tx) => this.walk.finish(tx, held, this.nextWalk(held), code));
  }

  /** Reason why the walk stops: a cursor that leads nowhere, or more pages than users. */
  private async cutOff({ next_cursor, pages }: IngestionWalk, nextCursor: string): Promise<string | null> {
    if (nextCursor === next_cursor) return 'pages_repeated';
    if ((pages + 1) % PAGES_UNTIL_LOOK !== 0) return null;
    const { accounts } = await this.accounts.countPullable();
    return pages > accounts + PAGES_UNTIL_LOOK ? 'too_many_pages' : null;
  }

  /** One interval after this walk began. */
  private nextWalk({ walk_started_at }: IngestionWalk): number {
    const now = this.clock.now();
    return Math.max(now, (walk_started_at ?? now) + this.page.rule.intervalMs);
  }
}
