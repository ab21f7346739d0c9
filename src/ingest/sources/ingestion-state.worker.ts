import { Injectable } from '@nestjs/common';
import { AccountsService } from '../../accounts/accounts/accounts.service.js';
import { Clock } from '../../platform/platform/clock.js';
import { loggable } from '../../platform/platform/errors.js';
import { Log } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';
import { Outcomes } from '../../platform/platform/outcomes.js';
import type { Tx } from '../../storage/database/tx.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { classifyPatiently } from '../../storage/work/retry.js';
import { type Walk, Walks } from '../../storage/work/walks.js';
import type { WorkerLoop } from '../../storage/work/worker-loop.js';
import { WorkerRegistry } from '../../storage/work/worker-registry.js';
import { UpstreamClient } from '../../upstream/client/upstream.client.js';
import { INGESTION_STATE_CALL_MS, INGESTION_STATE_EVERY_MS } from '../streams/tuning.js';
import { IngestionPage } from './ingestion-page.js';

/*
 * Reads upstream's ingestion state once per interval, 50 users per call, and plans pulls and polls from it.
 *
 *   waiting  --due_at-->      walking  from the first page
 *   walking  --page read-->   walking  the resulting pulls and polls, and the next cursor, in one transaction
 *   walking  --last page-->   waiting
 *   walking  --failure-->     walking  same page again, after a growing pause; after a refusal, the next interval
 *
 * After a crash, one page is read again. Without a walk, each stream is pulled as planned last, at most one longest
 * interval after its last pull. Leases: work/leased-rows.ts.
 */

const retry = { pause: { baseMs: 10_000, capMs: 15 * 60_000, factor: 2, jitter: 0.2 }, mostAttempts: 5 };
/** Upstream's default; larger values are not documented. */
const USERS_PER_PAGE = 50;
/** Every so many pages, the walk checks that it does not have more pages than users. */
const PAGES_UNTIL_LOOK = 100;

@Injectable()
export class IngestionStateWorker {
  readonly loop: WorkerLoop;
  private readonly outcomes: Outcomes;

  constructor(
    private readonly upstream: UpstreamClient,
    private readonly page: IngestionPage,
    private readonly accounts: AccountsService,
    private readonly walks: Walks,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    log: Log,
    metrics: Metrics,
    workers: WorkerRegistry,
  ) {
    this.outcomes = new Outcomes(log, metrics, 'ingestion_walks_total', "Passes over upstream's ingestion state");
    const deferred = (code: string, delay_ms: number, error: unknown): void => {
      this.outcomes.note('deferred', 'sync.ingestion_deferred', { ...loggable(error), code, delay_ms }, 'warn');
    };
    this.loop = workers.registerQueue({
      name: 'ingestion-state',
      everyMs: INGESTION_STATE_EVERY_MS,
      batch: 1,
      rows: walks.rows,
      only: walks.only('ingestion_state'),
      retry,
      judge: classifyPatiently,
      handle: (held, signal) => this.read(held, signal),
      bury: (tx, held, code) => this.finish(tx, held, code),
      deferred: (_held, { code, delayMs }, error) => deferred(code, delayMs, error),
      buried: (_held, code, error) => deferred(code, page.rule.intervalMs, error),
    });
  }

  private async read(held: Walk, signal: AbortSignal): Promise<void> {
    const { intervalMs, longestMs } = this.page.rule;
    // No pull could be postponed.
    if (longestMs <= intervalMs) return void (await this.lane.run((tx) => this.finish(tx, held, null)));
    const startedAt = held.started_at ?? this.clock.now();
    const query = { userLimit: USERS_PER_PAGE, cursor: held.next_cursor };
    const options = { priority: 'background', signal, deadlineMs: INGESTION_STATE_CALL_MS } as const;
    const { data, nextCursor } = await this.upstream.ingestionState(query, options);
    const plan = await this.page.plan(data);
    const code = nextCursor === null ? null : await this.cutOff(held, nextCursor);
    const isLast = nextCursor === null || code !== null;
    const pages = held.pages + 1;
    await this.lane.run(async (tx) => {
      await this.page.act(tx, plan);
      const place = { next_cursor: nextCursor, started_at: startedAt, pages };
      await (isLast ? this.finish(tx, held, code) : this.walks.rows.complete(tx, held, held.due_at, place));
    });
    if (code !== null) this.outcomes.note('cut_off', 'sync.ingestion_cut_off', { code }, 'warn');
    else if (isLast) this.outcomes.note('done', 'sync.ingestion_walked', { pages }, 'debug');
  }

  /** The next walk begins one interval after the start of this one. `code`: why this one ends before its last page. */
  private finish(tx: Tx, held: Walk, code: string | null): Promise<Walk> {
    const now = this.clock.now();
    const dueAt = Math.max(now, (held.started_at ?? now) + this.page.rule.intervalMs);
    return this.walks.finish(tx, held, dueAt, { error_code: code });
  }

  /** Reason to stop the walk: a repeated cursor, or more pages than users. Null to continue. */
  private async cutOff({ next_cursor, pages }: Walk, nextCursor: string): Promise<string | null> {
    if (nextCursor === next_cursor) return 'pages_repeated';
    if ((pages + 1) % PAGES_UNTIL_LOOK !== 0) return null;
    const { accounts } = await this.accounts.countPullable();
    return pages > accounts + PAGES_UNTIL_LOOK ? 'too_many_pages' : null;
  }
}
