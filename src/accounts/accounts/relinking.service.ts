import { Injectable } from '@nestjs/common';
import { AppError } from '../../platform/platform/errors.js';
import type { AccountId } from '../../platform/platform/ids.js';
import type { Tx } from '../../storage/database/tx.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import type { WireUser } from '../../upstream/client/wire-users.js';
import type { CallOptions } from '../../upstream/transport/call.js';
import { UpstreamError } from '../../upstream/transport/upstream-error.js';
import { assertWritable, erasedError, isErased, isErasedError } from '../erasure-guard/open-accounts.js';
import { type AccountEntity, settingColumns, type UserSettings } from './account.entity.js';
import { AccountMapping, otherMapping } from './account-mapping.js';
import { AccountsRepository } from './accounts.repository.js';
import { AccountsTelemetry } from './accounts.telemetry.js';
import { withOwn } from './fallbacks.js';
import { upstreamName } from './pseudonyms.js';
import { SourcePolls } from './source-polls.repository.js';
import { keptOf, UpstreamUsers } from './upstream-users.js';

/*
 * An account whose user upstream no longer has: a demo user after its seven days, or a deleted one.
 *
 *   active  --two 404 responses for the user--> user_gone_at set: nothing is pulled or polled any more
 *   gone    --relink-->                         active with a new user; the earlier one moves to former_upstream_users,
 *                                               and data stored so far stays
 *   gone    --upstream has the user again-->    active as before
 *
 * The new user is created with the same `client_user_id`, so repeating the call after a crash or a lost response finds
 * it (docs/upstream/users.md#conflict). One transaction changes the mapping, and only from the user that is gone, so
 * concurrent relinks end with the same new user. An account that is being erased is never mapped again.
 */

@Injectable()
export class Relinking {
  constructor(
    private readonly lane: WriteLane,
    private readonly accounts: AccountsRepository,
    private readonly users: UpstreamUsers,
    private readonly mapping: AccountMapping,
    private readonly polls: SourcePolls,
    private readonly telemetry: AccountsTelemetry,
  ) {}

  /**
   * Replaces the account's upstream user if it is gone. Throws `conflict` if upstream still has the user or the account
   * never had one, `account_erased`, `upstream_user_limit` or `UpstreamError`.
   */
  async relink(account: AccountEntity, options: CallOptions): Promise<AccountEntity> {
    const { upstream_user_id: earlier } = account;
    if (account.status === 'erasing') throw erasedError();
    if (earlier === null) throw new AppError('conflict', 'The account has no upstream user yet.');
    if (!(await this.confirmGone(account, options))) {
      throw new AppError('conflict', 'Upstream still has the user of this account.');
    }
    const { user, created } = await this.users.createOrFind(upstreamName(account), settingsOf(account), options);
    try {
      const stored = await this.lane.run((tx) => this.replace(tx, account, earlier, user));
      this.telemetry.noted('relinked', account.id);
      return stored;
    } catch (error) {
      if (created && isErasedError(error)) await this.mapping.unmake(user.user_id, account, options);
      throw error;
    }
  }

  /** Checks whether upstream still has the user, and stores the result. True if the user is gone. */
  async confirmGone(account: AccountEntity, options: CallOptions): Promise<boolean> {
    const { id, upstream_user_id: userId } = account;
    if (userId === null) return false;
    const gone = (await this.users.find(userId, options)) === null;
    if (gone) await this.lane.run((tx) => this.markGone(tx, id, userId));
    else if (account.user_gone_at !== null) await this.returned(id, userId);
    return gone;
  }

  /** Like `confirmGone`, but returns the stored result if the call to upstream fails. */
  async isGone(account: AccountEntity, options: CallOptions): Promise<boolean> {
    try {
      return await this.confirmGone(account, options);
    } catch (error) {
      if (error instanceof UpstreamError) return account.user_gone_at !== null;
      throw error;
    }
  }

  async markGone(tx: Tx, id: AccountId, userId: string): Promise<void> {
    if (await this.accounts.markGone(tx, id, userId, tx.now)) this.telemetry.noted('user_gone', id);
  }

  /** Records that upstream has the user again, and requests a poll of its sources. */
  async returned(id: number, userId: string): Promise<void> {
    await this.lane.run(async (tx) => {
      if (await this.accounts.clearGone(tx, id, userId, tx.now)) await this.polls.request(tx, id);
    });
  }

  private async replace(tx: Tx, { id }: AccountEntity, earlier: string, user: WireUser): Promise<AccountEntity> {
    const userId = user.user_id.toLowerCase();
    await tx.lock('account', id);
    await assertWritable(tx, id);
    if (await isErased(tx, userId)) throw erasedError();
    const kept = withOwn(await this.accounts.get(tx, id), keptOf(user));
    const replaced = await this.accounts.replaceUser(tx, id, { earlier, userId, kept, now: tx.now });
    const account = await this.accounts.get(tx, id);
    if (account.upstream_user_id !== userId) throw otherMapping();
    if (replaced) await this.polls.request(tx, id);
    return account;
  }
}

function settingsOf(account: AccountEntity): Partial<UserSettings> {
  const settings = settingColumns.map((name) => [name, account[name]] as const);
  return Object.fromEntries(settings.filter(([, value]) => value !== null));
}
