import { Injectable } from '@nestjs/common';
import { AccountsService } from '../accounts/accounts.service.js';
import { WriteLane } from '../database/write-lane.js';
import { AccountFence } from '../erasure-guard/erasure-guard.service.js';
import { SyncService } from '../pulls/pulls.service.js';

/** An operator's wish to pull an account again. */
@Injectable()
export class AccountSync {
  constructor(
    private readonly accounts: AccountsService,
    private readonly sync: SyncService,
    private readonly lane: WriteLane,
    private readonly fence: AccountFence,
  ) {}

  /** Answers the ids of the stored tasks. Throws `not_found`, `account_erased`, or `invalid_request` for a window that is empty. */
  async request(accountId: string, wish: { resources?: string[]; start?: number; end?: number }): Promise<number[]> {
    const { id } = await this.accounts.get(accountId);
    return this.lane.run(async (tx) => {
      await this.fence.hold(tx, id);
      return this.sync.requestAccount(tx, id, wish, 'operator');
    });
  }
}
