import { Injectable } from '@nestjs/common';
import { AccountsService } from '../../accounts/accounts/accounts.service.js';
import { ErasureGuard } from '../../accounts/erasure-guard/erasure-guard.service.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { PullRequests } from './pull-requests.service.js';

/** An operator's request to pull an account again. */
@Injectable()
export class AccountPulls {
  constructor(
    private readonly accounts: AccountsService,
    private readonly pulls: PullRequests,
    private readonly lane: WriteLane,
    private readonly guard: ErasureGuard,
  ) {}

  /**
   * Returns the ids of the stored tasks. Throws `not_found`, `account_erased`, or `invalid_request` for an empty
   * window.
   */
  async request(accountId: string, options: { resources?: string[]; start?: number; end?: number }): Promise<number[]> {
    const { id } = await this.accounts.get(accountId);
    return this.lane.run(async (tx) => {
      await this.guard.assertWritable(tx, id);
      return this.pulls.requestAccount(tx, id, options, 'operator');
    });
  }
}
