import { Injectable } from '@nestjs/common';
import { AccountsService } from '../../accounts/accounts/accounts.service.js';
import { OnceFor } from '../../platform/platform/once-for.js';
import type { OwnerLookupEntity } from './owner-lookup.entity.js';
import { keyOf } from './owner-lookups.repository.js';
import { type Found, UpstreamUserSearch } from './upstream-user-search.js';

/** Upstream does not know the user. */
export class UnknownUser extends Error {
  override readonly name = 'UnknownUser';
}

type Row = OwnerLookupEntity;

/** Gives users who are named in events their accounts. */
@Injectable()
export class OwnerSearch {
  /** Results for the rows of a batch, in their order. */
  private readonly found = new OnceFor<readonly Row[], Promise<readonly Found[]>>();

  constructor(
    private readonly accounts: AccountsService,
    private readonly search: UpstreamUserSearch,
  ) {}

  /**
   * Adopts the user of a row unless there is an account; searches upstream once for all rows of a batch. Throws
   * `UnknownUser`, and `account_erased` for an erased user; the waiting messages are dropped at their next attempt.
   */
  async ensure(row: Row, batch: readonly Row[], signal: AbortSignal): Promise<void> {
    if (await this.isKnown(row)) return;
    const search = () => this.search.find(batch.map(keyOf), { priority: 'background', signal });
    const found = (await this.found.get(batch, search))[batch.indexOf(row)];
    if (found instanceof Error) throw found;
    if (!found) throw new UnknownUser();
    await this.accounts.adopt(found);
  }

  private async isKnown(row: Row): Promise<boolean> {
    const { by, id } = keyOf(row);
    const account =
      by === 'user_id' ? await this.accounts.findByUpstreamUser(id) : await this.accounts.findByUpstreamName(id);
    return account !== null;
  }
}
