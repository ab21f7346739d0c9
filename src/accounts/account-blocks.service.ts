import { Injectable } from '@nestjs/common';
import { WriteLane } from '../database/write-lane.js';
import { erasedError } from '../erasure-guard/erasure-guard.service.js';
import { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import type { AccountEntity } from './account.entity.js';
import { AccountBlocksRepository } from './account-blocks.repository.js';
import { AccountsTelemetry } from './accounts.telemetry.js';

/**
 * Takes tokens away from one account. A block ends nothing else: the person may still read what is stored of them, and
 * what their sources deliver is still taken in.
 */
@Injectable()
export class AccountBlocks {
  constructor(
    private readonly lane: WriteLane,
    private readonly blocks: AccountBlocksRepository,
    private readonly clock: Clock,
    private readonly events: AccountsTelemetry,
  ) {}

  /** Does nothing to an account that is blocked. Throws `not_found`, and `account_erased` for one that is being erased. */
  block(accountId: string): Promise<AccountEntity> {
    return this.set(accountId, 'blocked');
  }

  /** Does nothing to an account that is not blocked. Throws as `block` does. */
  unblock(accountId: string): Promise<AccountEntity> {
    return this.set(accountId, 'unblocked');
  }

  private async set(accountId: string, wanted: 'blocked' | 'unblocked'): Promise<AccountEntity> {
    const now = this.clock.now();
    const { changed, account } = await this.lane.run(async (tx) => {
      const changed = await this.blocks[wanted === 'blocked' ? 'block' : 'unblock'](tx, accountId, now);
      return { changed, account: await this.blocks.find(tx, accountId) };
    });
    if (!account) throw new AppError('not_found', 'There is no such account.');
    if (account.status === 'erasing') throw erasedError();
    if (changed) this.events[wanted](account.id);
    return account;
  }
}
