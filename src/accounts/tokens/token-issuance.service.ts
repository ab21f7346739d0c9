import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { AppError } from '../../platform/platform/errors.js';
import type { AccountId } from '../../platform/platform/ids.js';
import type { Tx } from '../../storage/database/tx.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { AccountsService } from '../accounts/accounts.service.js';
import { assertWritable, erasedError } from '../erasure-guard/open-accounts.js';
import { type IssuanceState, TokensRepository } from './tokens.repository.js';
import { TokensTelemetry } from './tokens.telemetry.js';

/**
 * Decides whether tokens are issued: globally, and for one account by its status. Nothing is cached: for each token, a
 * process reads the database when it records the issue and again before it returns the token, so that no token leaves
 * after the call that disabled issuance has returned.
 */
@Injectable()
export class TokenIssuance {
  constructor(
    private readonly lane: WriteLane,
    private readonly tokens: TokensRepository,
    private readonly accounts: AccountsService,
    private readonly clock: Clock,
    private readonly telemetry: TokensTelemetry,
  ) {}

  state(): Promise<IssuanceState> {
    return this.tokens.issuance();
  }

  /**
   * Enables or disables token issuance; does nothing if it already is. `by` is the name of an operator's key.
   */
  async set(open: boolean, by: string): Promise<IssuanceState> {
    const at = this.clock.now();
    const { changed, state } = await this.lane.run(async (tx) => {
      const changed = open ? await this.tokens.openIssuance(tx) : await this.tokens.closeIssuance(tx, by, at);
      return { changed, state: await this.tokens.issuance(tx) };
    });
    if (changed) this.telemetry.switched(open);
    return state;
  }

  /**
   * Throws `account_erased`, `tokens_closed` or `account_blocked` if the account (`accounts.id`) may not get a token.
   * With `tx`, reads in that transaction and keeps the account open until it ends.
   */
  async assertAdmitted(accountId: AccountId, tx?: Tx): Promise<void> {
    if (tx) await assertWritable(tx, accountId);
    const account = await this.accounts.findById(accountId, tx);
    if (account === null || account.status === 'erasing') throw erasedError();
    const { closed_at } = await this.tokens.issuance(tx);
    if (closed_at !== null) throw new AppError('tokens_closed', 'Token issuance is disabled.');
    if (account.status !== 'active') throw new AppError('account_blocked', 'The account is blocked.');
  }
}
