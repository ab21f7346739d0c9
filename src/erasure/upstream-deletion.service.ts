import { Injectable } from '@nestjs/common';
import { Reader } from '../database/reader.js';
import { WriteLane } from '../database/write-lane.js';
import { digestOf } from '../erasure-guard/digest.js';
import { ErasureGuard } from '../erasure-guard/erasure-guard.service.js';
import { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import { type CallOptions, UpstreamClient } from '../upstream/upstream.client.js';
import type { ErasureEntity } from './erasure.entity.js';
import { PersonalRowsRepository } from './personal-rows.repository.js';

const PAGE = 500;

/** Upstream's side of an erasure. Methods throw `UpstreamError`. */
@Injectable()
export class UpstreamDeletion {
  constructor(
    private readonly upstream: UpstreamClient,
    private readonly rows: PersonalRowsRepository,
    private readonly fence: ErasureGuard,
    private readonly lane: WriteLane,
    private readonly reader: Reader,
    private readonly clock: Clock,
  ) {}

  /** Has upstream delete the account's user; nothing to do where it has none, or no longer. */
  async run(erasure: ErasureEntity, signal: AbortSignal): Promise<void> {
    const options: CallOptions = { priority: 'background', signal };
    const ids = await this.rows.ids(this.reader, erasure.account_ref);
    if (!ids) return;
    const userId = ids.userId ?? (await this.findUser(erasure, ids.accountId, options));
    if (userId !== null) await this.delete(userId, options);
  }

  /**
   * Those of the users, given by their digests, that upstream still lists or lists again. Their ids are stored nowhere,
   * so upstream's whole list is walked.
   */
  async stillThere(digests: ReadonlySet<string>, options: CallOptions): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    for (let offset = 0; digests.size > 0; offset += PAGE) {
      const { users, total } = await this.upstream.listUsers({ offset, limit: PAGE }, options);
      for (const { user_id } of users) {
        if (digests.has(digestOf(user_id))) found.set(digestOf(user_id), user_id);
      }
      if (users.length === 0 || offset + PAGE >= total) break;
    }
    return found;
  }

  /** Throws `upstream_rejected` when upstream answers that it did not. */
  async delete(userId: string, options: CallOptions): Promise<void> {
    const gone = await this.upstream.deleteUser(userId, options);
    if (!gone) throw new AppError('upstream_rejected', 'Upstream did not delete the user.');
  }

  /** An account that was never mapped may have a user all the same: made by a call whose answer was lost. */
  private async findUser(erasure: ErasureEntity, accountId: string, options: CallOptions): Promise<string | null> {
    const user = await this.upstream.resolveUser(accountId, options);
    if (!user) return null;
    const ref = erasure.account_ref;
    const userId = user.user_id.toLowerCase();
    await this.lane.run(async (tx) => {
      await this.fence.guardUser(tx, { ref, userId }, { id: erasure.id, now: this.clock.now() });
      await this.rows.nameUser(tx, ref, userId);
    });
    return userId;
  }
}
