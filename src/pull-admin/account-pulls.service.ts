import { Injectable } from '@nestjs/common';
import { AccountsService } from '../accounts/accounts.service.js';
import { WriteLane } from '../database/write-lane.js';
import { ErasureGuard } from '../erasure-guard/erasure-guard.service.js';
import { PullsService } from '../pulls/pulls.service.js';

/** An operator's wish to pull an account again. */
@Injectable()
export class AccountPulls {
  constructor(
    private readonly accounts: AccountsService,
    private readonly sync: PullsService,
    private readonly lane: WriteLane,
    private readonly fence: ErasureGuard,
  ) {}

  /** Answers the ids of the stored tasks. Throws `not_found`, `account_erased`, or `invalid_request` for a window that is empty. */
  async request(accountId: string, wish: { resources?: string[]; start?: number; end?: number }): Promise<number[]> {
    const { id } = await this.accounts.get(accountId);
    return this.lane.run(async (tx) => {
      await this.fence.assertWritable(tx, id);
      return this.sync.requestAccount(tx, id, wish, 'operator');
    });
  }
}
