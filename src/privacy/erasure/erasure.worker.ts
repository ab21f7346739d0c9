import { Injectable } from '@nestjs/common';
import { OnceFor } from '../../platform/platform/once-for.js';
import { HOUR_MS } from '../../platform/platform/time.js';
import { type Scrub, Scrubber } from '../../storage/database/scrubber.js';
import type { Queue } from '../../storage/work/queue.js';
import type { WorkerLoop, WorkOutcome } from '../../storage/work/worker-loop.js';
import { WorkerRegistry } from '../../storage/work/worker-registry.js';
import { ERASURE_EVERY_MS, MAX_SCRUBBED_TOGETHER, SCRUB_RETRY_MS } from '../access-log/tuning.js';
import type { ErasureEntity } from './erasure.entity.js';
import { ErasureJournal } from './erasure-journal.service.js';
import { checkAt, ErasureLeases } from './erasure-leases.service.js';
import { countsOf, LocalDeletion } from './local-deletion.service.js';
import { UpstreamDeletion } from './upstream-deletion.service.js';

/*
 * The states of an erasure. Leases: work/leased-rows.ts. The transaction that stores the request also closes the
 * account and stores a tombstone of its upstream user.
 *
 *   requested --first slice-->         deleting  rows are deleted in slices, each counted in its transaction
 *   deleting  --nothing left-->        upstream  only the two ids of the account are left
 *   upstream  --scrubbed-->            upstream  deleted rows are zeroed, and no longer in the write-ahead log
 *   upstream  --user deleted-->        waiting   one transaction deletes the rest and the account itself
 *   waiting   --scrubbed-->            waiting   thoroughly, with all other waiting erasures; checked after upstream's
 *                                                grace period
 *   waiting   --nothing reappeared-->  done      erasure-check.worker.ts
 *   any       --failure-->             same      retried after a growing pause; see `error_code`
 *
 * After a crash, work resumes from the last transaction when the lease ends: every step finds the remaining work and is
 * idempotent. An unavailable upstream delays only its own step.
 */

/** Deleting a large account or rewriting a file can take long. */
const stuckAfterMs = HOUR_MS;

@Injectable()
export class ErasureWorker {
  readonly loop: WorkerLoop;
  private readonly deletions: Queue<ErasureEntity>;
  private readonly deletionsHere: Queue<ErasureEntity>;
  private readonly scrubs: Queue<ErasureEntity>;
  /** One scrub serves all erasures claimed together. */
  private readonly scrubbing = new OnceFor<readonly ErasureEntity[], Promise<Scrub | null>>();

  constructor(
    private readonly leases: ErasureLeases,
    private readonly local: LocalDeletion,
    private readonly upstream: UpstreamDeletion,
    private readonly scrubber: Scrubber,
    private readonly journal: ErasureJournal,
    workers: WorkerRegistry,
  ) {
    this.deletionsHere = leases.queue('here', {
      name: 'erasure-here',
      batch: 1,
      handle: (held, signal) => this.step(held, signal),
    });
    this.deletions = leases.queue('work', {
      name: 'erasure',
      batch: 1,
      handle: (held, signal) => this.step(held, signal),
    });
    this.scrubs = leases.queue('scrub', {
      name: 'erasure-scrub',
      batch: MAX_SCRUBBED_TOGETHER,
      handle: (held, _signal, batch) => this.scrub(held, batch, true),
    });
    this.loop = workers.register({
      name: 'erasure',
      everyMs: ERASURE_EVERY_MS,
      stuckAfterMs,
      work: (signal) => this.round(signal),
    });
  }

  /** Deletes all remaining rows here, without calls to upstream. */
  async deleteHere(): Promise<void> {
    const { signal } = new AbortController();
    while ((await this.deletionsHere.round(signal)) === 'more');
  }

  /** Scrubs after all deletions, because it may rewrite a complete file, once for all waiting erasures. */
  private async round(signal: AbortSignal): Promise<WorkOutcome> {
    const outcome = await this.deletions.round(signal);
    return outcome === 'more' ? outcome : this.scrubs.round(signal);
  }

  private async step(held: ErasureEntity, signal: AbortSignal): Promise<void> {
    if (held.state === 'upstream') {
      if (held.scrubbed_at === null) return this.scrub(held, [held], false);
      await this.upstream.run(held, signal);
      return this.leases.release(await this.local.finish(held));
    }
    // The journal comes first, so that the erasure is repeated if a backup is restored.
    await this.journal.record(held);
    await this.leases.release(await this.local.run(held, signal));
  }

  private async scrub(held: ErasureEntity, together: readonly ErasureEntity[], thorough: boolean): Promise<void> {
    const tables = new Set(together.flatMap((each) => Object.keys(countsOf(each))));
    const scrub = await this.scrubbing.get(together, () => this.scrubber.scrub([...tables], thorough));
    if (scrub === null) return this.leases.defer(held, 'scrub_busy', SCRUB_RETRY_MS);
    const now = this.leases.now();
    const due = held.state === 'waiting' ? checkAt(now) : now;
    await this.leases.release({ ...held, scrubbed_at: now, scrub }, due);
  }
}
