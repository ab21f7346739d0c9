import { Injectable } from '@nestjs/common';
import { AccountsService, upstreamName } from '../../accounts/accounts/accounts.service.js';
import { digestOf, ErasureGuard } from '../../accounts/erasure-guard/erasure-guard.service.js';
import { Clock } from '../../platform/platform/clock.js';
import { AppError } from '../../platform/platform/errors.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { type CallOptions, UpstreamClient } from '../../upstream/client/upstream.client.js';
import { type ListUsers, scanUsers } from '../../upstream/client/user-scan.js';
import type { ErasureEntity } from './erasure.entity.js';

/** Upstream's side of an erasure. Methods throw `UpstreamError`. */
@Injectable()
export class UpstreamDeletion {
  constructor(
    private readonly upstream: UpstreamClient,
    private readonly accounts: AccountsService,
    private readonly guard: ErasureGuard,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
  ) {}

  /**
   * Deletes the account's user at upstream, and one that has the account's name: the response that created it may have
   * been lost, also while the account was relinked. Does nothing if there is none, or no longer.
   */
  async run(erasure: ErasureEntity, signal: AbortSignal): Promise<void> {
    const options: CallOptions = { priority: 'background', signal };
    const account = await this.accounts.findById(erasure.account_ref);
    if (!account) return;
    const { upstream_user_id: mapped } = account;
    if (mapped !== null) await this.delete(mapped, options);
    const named = await this.findUser(erasure, upstreamName(account), options);
    if (named !== null && named !== mapped) await this.delete(named, options);
  }

  /**
   * Returns which of the users, given by their digests, upstream still lists or lists again. Their ids are stored
   * nowhere, so this reads upstream's complete list. Throws `upstream_contract` if it could not be read completely.
   */
  async stillThere(digests: ReadonlySet<string>, options: CallOptions): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    if (digests.size === 0) return found;
    const list: ListUsers = (page) => this.upstream.listUsers(page, options);
    await scanUsers(list, (userId) => {
      const digest = digestOf(userId);
      if (digests.has(digest)) found.set(digest, userId);
    });
    return found;
  }

  /** Throws `upstream_rejected` if upstream reports that it did not. */
  async delete(userId: string, options: CallOptions): Promise<void> {
    const gone = await this.upstream.deleteUser(userId, options);
    if (!gone) throw new AppError('upstream_rejected', 'Upstream did not delete the user.');
  }

  private async findUser(erasure: ErasureEntity, name: string, options: CallOptions): Promise<string | null> {
    const user = await this.upstream.resolveUser(name, options);
    if (!user) return null;
    const { id: erasureId, account_ref: accountId } = erasure;
    const userId = user.user_id.toLowerCase();
    await this.lane.run(async (tx) => {
      await this.guard.addTombstone(tx, { id: userId, accountId, erasureId, now: this.clock.now() });
      await this.accounts.keepUpstreamUser(tx, accountId, userId);
    });
    return userId;
  }
}
