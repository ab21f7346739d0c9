import { Injectable } from '@nestjs/common';
import { AccountsService } from '../../accounts/accounts/accounts.service.js';
import { upstreamName } from '../../accounts/accounts/pseudonyms.js';
import { ErasureGuard } from '../../accounts/erasure-guard/erasure-guard.service.js';
import { digestOf } from '../../accounts/erasure-guard/open-accounts.js';
import { Clock } from '../../platform/platform/clock.js';
import { AppError } from '../../platform/platform/errors.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { UpstreamClient } from '../../upstream/client/upstream.client.js';
import { type ListUsers, scanUsers } from '../../upstream/client/user-scan.js';
import { type CallOptions } from '../../upstream/transport/call.js';
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
   * Deletes the account's user upstream, and any other user with the account's name: the response that created it may
   * have been lost, for example during a relink. Does nothing if there is none, or if the account no longer exists.
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
   * Returns those of the users, given by their digests, that upstream lists, with their ids by digest. Their ids are
   * not stored, so this reads upstream's complete list. Throws `upstream_contract` if it could not be read completely.
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

  /** Throws `upstream_rejected` if upstream reports that it did not delete the user. */
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
