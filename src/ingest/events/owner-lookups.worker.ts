import { Injectable } from '@nestjs/common';
import { AccountsService } from '../../accounts/accounts/accounts.service.js';
import { isErasedError } from '../../accounts/erasure-guard/open-accounts.js';
import { Clock } from '../../platform/platform/clock.js';
import { loggable } from '../../platform/platform/errors.js';
import { Log } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';
import { OnceFor } from '../../platform/platform/once-for.js';
import { Outcomes } from '../../platform/platform/outcomes.js';
import { HOUR_MS } from '../../platform/platform/time.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import type { Queue } from '../../storage/work/queue.js';
import { classify, type Judgement, type RetryPolicy } from '../../storage/work/retry.js';
import type { WorkerLoop, WorkOutcome } from '../../storage/work/worker-loop.js';
import { WorkerRegistry } from '../../storage/work/worker-registry.js';
import type { OwnerLookupEntity } from './owner-lookup.entity.js';
import { keyOf, OwnerLookupsRepository, REFUSED_MS } from './owner-lookups.repository.js';
import { type Found, UpstreamUserSearch } from './upstream-user-search.js';

/*
 * Looks up users at upstream who are named in events but have no account here. Leases: work/leased-rows.ts.
 *
 *   (none)   --message names a user-->    due       in the transaction that puts the message aside
 *   due      --claim-->                   leased
 *   leased   --known here or upstream-->  answered  the account is created
 *   leased   --unknown upstream-->        due       a few times, because a new user may not be visible yet
 *                                     --> refused   then; for 15 minutes upstream is not called again
 *   leased   --upstream unavailable-->    due       for as long as it takes; all other lookups wait too
 *   answered --messages due again-->      (deleted)
 *   refused  --15 minutes over-->         (deleted)
 *   refused  --message after that-->      due
 *
 * After a crash, the lookup is repeated when its lease ends. Adopting a user twice leads to the same account.
 */

const everyMs = 1_000;
const batch = 200;
const MAX_REMOVED = 500;

const pause = { baseMs: 5_000, capMs: HOUR_MS, factor: 3, jitter: 0.2 };
export const retry: RetryPolicy = { pause, mostAttempts: 12 };
const forUser: RetryPolicy = { pause, mostAttempts: 5 };
const forOthers: RetryPolicy = { ...retry, pause: { ...pause, capMs: 120_000, factor: 2 } };

/** Upstream does not know the user. */
export class UnknownUser extends Error {
  override readonly name = 'UnknownUser';
}

type Row = OwnerLookupEntity;

@Injectable()
export class OwnerLookupsWorker {
  readonly loop: WorkerLoop;
  private readonly queue: Queue<Row>;
  /** Results for the rows of a batch, in their order. */
  private readonly found = new OnceFor<readonly Row[], Promise<readonly Found[]>>();
  private tidiedAt = 0;

  constructor(
    private readonly lookups: OwnerLookupsRepository,
    private readonly search: UpstreamUserSearch,
    private readonly accounts: AccountsService,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    log: Log,
    metrics: Metrics,
    workers: WorkerRegistry,
  ) {
    const { rows } = lookups;
    const outcomes = new Outcomes(log, metrics, 'owner_lookups_total', 'Lookups of unknown event users by outcome');
    this.queue = workers.queue({
      name: 'owner-lookups',
      batch,
      sideBySide: true,
      rows,
      retry,
      judge: judgeLookup,
      handle: async (row, signal, all) => {
        await this.look(row, signal, all);
        outcomes.note('found');
      },
      bury: (tx, row, code) => rows.bury(tx, row, code, { refused_until: clock.now() + REFUSED_MS }),
      deferred: (_row, { code, delayMs: delay_ms }, error) =>
        outcomes.note('retry', 'owner_lookup.deferred', { code, delay_ms, ...loggable(error) }, 'warn'),
      buried: (_row, code, error) =>
        outcomes.note('refused', 'owner_lookup.refused', { code, ...loggable(error) }, 'warn'),
    });
    this.loop = workers.register({ name: 'owner-lookups', everyMs, work: (signal) => this.round(signal) });
  }

  private async round(signal: AbortSignal): Promise<WorkOutcome> {
    const now = this.clock.now();
    if (now - this.tidiedAt >= HOUR_MS) {
      this.tidiedAt = now;
      await this.lane.run((tx) => this.lookups.removeOld(tx, now, MAX_REMOVED));
    }
    return this.queue.round(signal);
  }

  /** For an erased user, adopting throws `account_erased`; the waiting messages are dropped at their next attempt. */
  private async look(row: Row, signal: AbortSignal, all: readonly Row[]): Promise<void> {
    if (!(await this.isKnown(row))) {
      const search = () => this.search.find(all.map(keyOf), { priority: 'background', signal });
      const found = (await this.found.get(all, search))[all.indexOf(row)];
      if (found instanceof Error) throw found;
      if (!found) throw new UnknownUser();
      await this.accounts.adopt(found);
    }
    await this.lane.run((tx) => this.lookups.rows.complete(tx, row, null));
  }

  private async isKnown(row: Row): Promise<boolean> {
    const { by, id } = keyOf(row);
    const account =
      by === 'user_id' ? await this.accounts.findByUpstreamUser(id) : await this.accounts.findByUpstreamName(id);
    return account !== null;
  }
}

/** An error that is not about one user affects all of them, so the other lookups wait too. */
export function judgeLookup(error: unknown): Judgement {
  if (error instanceof UnknownUser) return { then: 'retry', code: 'unknown_user', retry: forUser };
  const judgement = classify(error);
  if (isErasedError(error)) return { then: 'final', code: 'account_erased' };
  if (judgement.code === 'account_id_not_allowed') return judgement;
  if (judgement.then === 'wait') return { ...judgement, everybody: true, retry: forOthers };
  return { ...judgement, then: 'retry' };
}
