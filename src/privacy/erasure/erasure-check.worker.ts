import { Injectable } from '@nestjs/common';
import { ErasureGuard } from '../../accounts/erasure-guard/erasure-guard.service.js';
import { OnceFor } from '../../platform/platform/once-for.js';
import { HOUR_MS } from '../../platform/platform/time.js';
import type { WorkerLoop } from '../../storage/work/worker-loop.js';
import { WorkerRegistry } from '../../storage/work/worker-registry.js';
import { ERASURE_CHECK_EVERY_MS, MAX_CHECKS_A_SCAN } from '../access-log/tuning.js';
import type { ErasureEntity } from './erasure.entity.js';
import { ErasureTelemetry } from './erasure.telemetry.js';
import { checkAt, ErasureLeases } from './erasure-leases.service.js';
import { PersonalRowsRepository } from './personal-rows.repository.js';
import { UpstreamDeletion } from './upstream-deletion.service.js';

/** The check reads upstream's complete list of users. */
const stuckAfterMs = HOUR_MS;

/** Upstream users that match the digests of erased ones. */
type Found = ReadonlyMap<string, string>;

/**
 * Checks after upstream's grace period that nothing has reappeared. Users that upstream lists again are deleted again,
 * with a new grace period; rows that reappeared here are deleted. Both raise an alarm (`user_found`, `rows_found`).
 */
@Injectable()
export class ErasureCheckWorker {
  readonly loop: WorkerLoop;
  /** One scan of upstream's list serves all erasures claimed together. */
  private readonly scans = new OnceFor<readonly ErasureEntity[], Promise<Found>>();

  constructor(
    private readonly leases: ErasureLeases,
    private readonly upstream: UpstreamDeletion,
    private readonly rows: PersonalRowsRepository,
    private readonly guard: ErasureGuard,
    private readonly telemetry: ErasureTelemetry,
    workers: WorkerRegistry,
  ) {
    const checks = leases.queue('check', {
      name: 'erasure-check',
      batch: MAX_CHECKS_A_SCAN,
      handle: async (held, signal, batch) => {
        const found = await this.scans.get(batch, () => this.scan(batch, signal));
        await this.settle(held, found, signal);
      },
    });
    this.loop = workers.register({
      name: 'erasure-check',
      everyMs: ERASURE_CHECK_EVERY_MS,
      stuckAfterMs,
      work: (signal) => checks.round(signal),
    });
  }

  private async scan(batch: readonly ErasureEntity[], signal: AbortSignal): Promise<Found> {
    const digests = await Promise.all(batch.map(({ id }) => this.guard.digestsOf(id)));
    return this.upstream.stillThere(new Set(digests.flat()), { priority: 'bulk', signal });
  }

  private async settle(held: ErasureEntity, found: Found, signal: AbortSignal): Promise<void> {
    const now = this.leases.now();
    const remaining = await this.rows.remaining(held.account_ref);
    if (Object.keys(remaining).length > 0) {
      this.telemetry.userReturned(held, 'rows_found');
      return this.leases.release({ ...held, state: 'deleting', error_code: 'rows_found' });
    }
    const digests = await this.guard.digestsOf(held.id);
    const users = digests.map((digest) => found.get(digest)).filter((userId) => userId !== undefined);
    for (const userId of users) await this.upstream.delete(userId, { priority: 'background', signal });
    if (users.length === 0) return this.leases.release({ ...held, state: 'done', verified_at: now }, null);
    this.telemetry.userReturned(held, 'user_found');
    await this.leases.release({ ...held, upstream_at: now, error_code: 'user_found' }, checkAt(now));
  }
}
