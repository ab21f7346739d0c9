import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { DAY_MS } from '../../platform/platform/time.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import type { WorkerLoop, WorkOutcome } from '../../storage/work/worker-loop.js';
import { WorkerRegistry } from '../../storage/work/worker-registry.js';
import { UpstreamError } from '../../upstream/transport/upstream-error.js';
import { MAX_RENAMED_A_ROUND, PSEUDONYMS_EVERY_MS } from '../erasure-guard/tuning.js';
import type { AccountEntity } from './account.entity.js';
import { AccountsTelemetry } from './accounts.telemetry.js';
import { Pseudonyms } from './pseudonyms.js';
import { UpstreamUsers } from './upstream-users.js';

/**
 * Renames upstream users that were created without `CLIENT_ID_SECRET` to their pseudonyms
 * (docs/upstream/users.md#change). Stores each pseudonym before sending it to upstream, so that both names lead to the
 * account after a crash at any point. Needs no lease: renaming twice gives the same name. If upstream refuses to rename
 * a user, it is retried a day later.
 */
@Injectable()
export class PseudonymsWorker {
  readonly loop: WorkerLoop;
  private after = 0;
  /** When to retry each refused account, in epoch milliseconds. */
  private readonly refused = new Map<number, number>();

  constructor(
    private readonly users: UpstreamUsers,
    private readonly pseudonyms: Pseudonyms,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    private readonly telemetry: AccountsTelemetry,
    workers: WorkerRegistry,
  ) {
    this.loop = workers.register({
      name: 'pseudonyms',
      everyMs: PSEUDONYMS_EVERY_MS,
      work: (signal) => this.round(signal),
    });
  }

  private async round(signal: AbortSignal): Promise<WorkOutcome> {
    if (this.pseudonyms.for('') === null) return 'idle';
    const accounts = await this.pseudonyms.unrenamed(this.after, MAX_RENAMED_A_ROUND);
    for (const account of accounts) {
      if (signal.aborted || !(await this.rename(account, signal))) return 'idle';
      this.after = account.id;
    }
    if (accounts.length > 0) return 'more';
    this.after = 0;
    this.telemetry.unrenamed(await this.pseudonyms.countUnrenamed());
    return 'idle';
  }

  /** False if upstream is unavailable, so that there is no point in trying other accounts now. */
  private async rename(account: AccountEntity, signal: AbortSignal): Promise<boolean> {
    const { id, upstream_user_id: userId } = account;
    if (userId === null || (this.refused.get(id) ?? 0) > this.clock.now()) return true;
    const pseudonym = await this.lane.run((tx) => this.pseudonyms.keep(tx, account));
    if (pseudonym === null) return true;
    try {
      await this.users.rename(userId, pseudonym, { priority: 'bulk', signal });
    } catch (error) {
      if (signal.aborted) return false;
      if (error instanceof UpstreamError && (error.isTransient || error.isUnauthorized)) return false;
      this.refused.set(id, this.clock.now() + DAY_MS);
      this.telemetry.failed('not_renamed', id, error);
      return true;
    }
    await this.lane.run((tx) => this.pseudonyms.renamed(tx, id, pseudonym));
    this.refused.delete(id);
    this.telemetry.noted('renamed', id);
    return true;
  }
}
