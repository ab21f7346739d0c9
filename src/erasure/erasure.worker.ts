import { Injectable } from '@nestjs/common';
import { type Scrub, Scrubber } from '../database/scrubber.js';
import { newId } from '../platform/ids.js';
import { Loops } from '../work/loops.js';
import type { WorkerLoop, WorkOutcome } from '../work/worker-loop.js';
import type { ErasureEntity } from './erasure.entity.js';
import { checkAt, ErasureLeases } from './erasure-leases.service.js';
import { countsOf, LocalDeletion } from './local-deletion.service.js';
import { UpstreamDeletion } from './upstream-deletion.service.js';

/*
 * The life of an erasure. The account is closed and its upstream user fenced in the transaction that stores the request.
 *
 *   requested --first slice-->       deleting  rows go in slices, each counted with its transaction
 *   deleting  --nothing left-->      upstream  of the account only its two ids are left
 *   upstream  --scrubbed-->          upstream  deleted rows are zeros, and no longer in the write-ahead log
 *   upstream  --user deleted-->      waiting   the rest and the account itself go in one transaction
 *   waiting   --scrubbed-->          waiting   thoroughly, with all others that wait; due a day after upstream's grace
 *   waiting   --nothing came back--> done      erasure-check.worker.ts
 *   any       --failure-->           the same, after a pause that grows; `error_code` says why
 *
 * A crash leaves the state of the last transaction, to be taken up when the lease ends: every step finds what is left
 * to do, and may be done twice. An upstream that cannot be reached holds up nothing but its own step.
 */

const everyMs = 5_000;
const SCRUB_AGAIN_MS = 10_000;
const SCRUBBED_TOGETHER = 500;

@Injectable()
export class ErasureWorker {
  readonly loop: WorkerLoop;
  private readonly owner = newId();

  constructor(
    private readonly leases: ErasureLeases,
    private readonly local: LocalDeletion,
    private readonly upstream: UpstreamDeletion,
    private readonly scrubber: Scrubber,
    loops: Loops,
  ) {
    this.loop = loops.make('erasure', everyMs, (signal) => this.round(signal));
  }

  private async round(signal: AbortSignal): Promise<WorkOutcome> {
    if (await this.leases.anyDue('work')) {
      const [held] = await this.leases.claim('work', this.owner, 1);
      if (held) await this.leases.withLease(held, signal, () => this.step(held, signal));
      if (held) return 'more';
    }
    return this.scrubWaiting(signal);
  }

  private async step(held: ErasureEntity, signal: AbortSignal): Promise<void> {
    if (held.state === 'upstream') {
      if (held.scrubbed_at === null) return this.scrub([held], signal, false);
      await this.upstream.run(held, signal);
      return this.leases.release(await this.local.finish(held));
    }
    await this.leases.release(await this.local.run(held, signal));
  }

  /** Once for all that wait for it: a file is rewritten as a whole. */
  private async scrubWaiting(signal: AbortSignal): Promise<WorkOutcome> {
    if (!(await this.leases.anyDue('scrub'))) return 'idle';
    const waiting = await this.leases.claim('scrub', this.owner, SCRUBBED_TOGETHER);
    await this.scrub(waiting, signal, true);
    return waiting.length > 0 ? 'more' : 'skipped';
  }

  private async scrub(erasures: readonly ErasureEntity[], signal: AbortSignal, thorough: boolean): Promise<void> {
    const tables = new Set(erasures.flatMap((held) => Object.keys(countsOf(held))));
    const scrubbing = this.scrubber.scrub([...tables], thorough);
    for (const held of erasures) {
      await this.leases.withLease(held, signal, async () => this.scrubbed(held, await scrubbing));
    }
  }

  private async scrubbed(held: ErasureEntity, scrub: Scrub | null): Promise<void> {
    if (scrub === null) return this.leases.defer(held, 'scrub_busy', SCRUB_AGAIN_MS);
    const now = this.leases.now();
    const due = held.state === 'waiting' ? checkAt(now) : now;
    await this.leases.release({ ...held, scrubbed_at: now, scrub }, due);
  }
}
