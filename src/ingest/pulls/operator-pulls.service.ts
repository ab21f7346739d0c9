import { Injectable } from '@nestjs/common';
import { AccountsService } from '../../accounts/accounts/accounts.service.js';
import { assertWritable } from '../../accounts/erasure-guard/open-accounts.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { type AccountRequest, PullRequests } from './pull-requests.service.js';

/** Pulls that an operator requests for one account. */
@Injectable()
export class OperatorPulls {
  constructor(
    private readonly requests: PullRequests,
    private readonly accounts: AccountsService,
    private readonly lane: WriteLane,
  ) {}

  /** Like `PullRequests.requestAccount`, by external account id. Also throws `not_found` and `account_erased`. */
  async request(accountId: string, options: AccountRequest): Promise<number[]> {
    const { id } = await this.accounts.get(accountId);
    return this.lane.run(async (tx) => {
      await assertWritable(tx, id);
      return this.requests.requestAccount(tx, id, options);
    });
  }
}
