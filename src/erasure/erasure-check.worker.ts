import { Injectable } from '@nestjs/common';
import { ErasureGuard } from '../erasure-guard/erasure-guard.service.js';
import { newId } from '../platform/ids.js';
import { Loops } from '../work/loops.js';
import type { WorkerLoop, WorkOutcome } from '../work/worker-loop.js';
import type { ErasureEntity } from './erasure.entity.js';
import { ErasureTelemetry } from './erasure.telemetry.js';
import { checkAt, ErasureLeases } from './erasure-leases.service.js';
import { PersonalRowsRepository } from './personal-rows.repository.js';
import { UpstreamDeletion } from './upstream-deletion.service.js';

const everyMs = 600_000;
const CHECKS_PER_WALK = 200;

/** An erasure and the digests of its users. */
interface Checked {
  readonly held: ErasureEntity;
  readonly digests: readonly string[];
}

/**
 * Looks, after upstream's days of grace, whether anything has come back. Users that upstream lists again are deleted
 * again and waited for again; rows that turn up here are deleted. Either is an alarm (`user_found`, `rows_found`).
 */
@Injectable()
export class ErasureCheckWorker {
  readonly loop: WorkerLoop;
  private readonly owner = newId();

  constructor(
    private readonly leases: ErasureLeases,
    private readonly upstream: UpstreamDeletion,
    private readonly rows: PersonalRowsRepository,
    private readonly guard: ErasureGuard,
    private readonly events: ErasureTelemetry,
    loops: Loops,
  ) {
    this.loop = loops.make('erasure-check', everyMs, (signal) => this.round(signal));
  }

  private async round(signal: AbortSignal): Promise<WorkOutcome> {
    if (!(await this.leases.anyDue('check'))) return 'idle';
    const due = await this.leases.claim('check', this.owner, CHECKS_PER_WALK);
    const checks = await Promise.all(due.map((held) => this.checkOf(held)));
    const digests = new Set(checks.flatMap((check) => check.digests));
    const walk = this.upstream.stillThere(digests, { priority: 'bulk', signal });
    for (const check of checks) {
      await this.leases.withLease(check.held, signal, async () => this.settle(check, await walk, signal));
    }
    return due.length > 0 ? 'more' : 'skipped';
  }

  private async checkOf(held: ErasureEntity): Promise<Checked> {
    return { held, digests: await this.guard.digestsOf(held.id) };
  }

  private async settle(
    { held, digests }: Checked,
    found: ReadonlyMap<string, string>,
    signal: AbortSignal,
  ): Promise<void> {
    const now = this.leases.now();
    const remaining = await this.rows.remaining(held.account_ref);
    if (Object.keys(remaining).length > 0) {
      this.events.cameBack(held, 'rows_found');
      return this.leases.release({ ...held, state: 'deleting', error_code: 'rows_found' });
    }
    const users = digests.map((digest) => found.get(digest)).filter((userId) => userId !== undefined);
    for (const userId of users) await this.upstream.delete(userId, { priority: 'background', signal });
    if (users.length === 0) {
      return this.leases.release({ ...held, state: 'done', verified_at: now }, null);
    }
    this.events.cameBack(held, 'user_found');
    await this.leases.release({ ...held, upstream_at: now, error_code: 'user_found' }, checkAt(now));
  }
}
