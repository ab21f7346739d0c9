import { Injectable } from '@nestjs/common';
import { isErasedError } from '../../accounts/erasure-guard/open-accounts.js';
import { Clock } from '../../platform/platform/clock.js';
import { HOUR_MS } from '../../platform/platform/time.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import type { Queue } from '../../storage/work/queue.js';
import { classify, type Judgement, type RetryPolicy } from '../../storage/work/retry.js';
import type { WorkerLoop, WorkOutcome } from '../../storage/work/worker-loop.js';
import { WorkerRegistry } from '../../storage/work/worker-registry.js';
import { LOOKUP_REFUSED_MS, LOOKUPS_EVERY_MS, MAX_LOOKUPS_CLAIMED, MAX_LOOKUPS_REMOVED } from '../streams/tuning.js';
import type { OwnerLookupEntity } from './owner-lookup.entity.js';
import { OwnerLookupsRepository } from './owner-lookups.repository.js';
import { OwnerLookupsTelemetry } from './owner-lookups.telemetry.js';
import { OwnerSearch, UnknownUser } from './owner-search.js';

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

const pause = { baseMs: 5_000, capMs: HOUR_MS, factor: 3, jitter: 0.2 };
export const retry: RetryPolicy = { pause, mostAttempts: 12 };
const forUser: RetryPolicy = { pause, mostAttempts: 5 };
const forOthers: RetryPolicy = { ...retry, pause: { ...pause, capMs: 120_000, factor: 2 } };

@Injectable()
export class OwnerLookupsWorker {
  readonly loop: WorkerLoop;
  private readonly queue: Queue<OwnerLookupEntity>;
  private tidiedAt = 0;

  constructor(
    private readonly lookups: OwnerLookupsRepository,
    private readonly owners: OwnerSearch,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    telemetry: OwnerLookupsTelemetry,
    workers: WorkerRegistry,
  ) {
    const { rows } = lookups;
    this.queue = workers.queue({
      name: 'owner-lookups',
      batch: MAX_LOOKUPS_CLAIMED,
      sideBySide: true,
      rows,
      retry,
      judge: judgeLookup,
      handle: async (row, signal, all) => {
        await this.look(row, signal, all);
        telemetry.found();
      },
      bury: (tx, row, code) => rows.bury(tx, row, code, { refused_until: tx.now + LOOKUP_REFUSED_MS }),
      deferred: (_row, { code, delayMs }, error) => telemetry.deferred(code, delayMs, error),
      buried: (_row, code, error) => telemetry.refused(code, error),
    });
    this.loop = workers.register({
      name: 'owner-lookups',
      everyMs: LOOKUPS_EVERY_MS,
      work: (signal) => this.round(signal),
    });
  }

  private async round(signal: AbortSignal): Promise<WorkOutcome> {
    const now = this.clock.now();
    if (now - this.tidiedAt >= HOUR_MS) {
      this.tidiedAt = now;
      await this.lane.run((tx) => this.lookups.removeOld(tx, now, MAX_LOOKUPS_REMOVED));
    }
    return this.queue.round(signal);
  }

  private async look(row: OwnerLookupEntity, signal: AbortSignal, all: readonly OwnerLookupEntity[]): Promise<void> {
    await this.owners.ensure(row, all, signal);
    await this.lane.run((tx) => this.lookups.rows.complete(tx, row, null));
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
