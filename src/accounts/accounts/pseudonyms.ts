import { Injectable } from '@nestjs/common';
import { UpstreamConfig } from '../../platform/config/config.js';
import { isPseudonym, pseudonymOf } from '../../platform/platform/ids.js';
import type { Queryable } from '../../storage/database/tx.js';
import type { WireUser } from '../../upstream/client/wire-users.js';
import type { AccountEntity } from './account.entity.js';
import { AccountsRepository } from './accounts.repository.js';

/*
 * Upstream's name of an account's user (`client_user_id`): the account id, or, with `CLIENT_ID_SECRET`, a pseudonym of
 * it that only the secret can produce. An account keeps the one it was given, whatever becomes of the secret, so it is
 * found again by looking it up. Everything that compares upstream's names with accounts goes through here.
 *
 *   new account, secret set        pseudonym from the first call on
 *   account from before            pseudonym stored --upstream renamed the user--> pseudonym_at (pseudonyms.worker.ts)
 *   account without a secret set   no pseudonym; one given before stays
 *
 * Both names are recognised at all times: events and pages may have been made before a rename.
 */

type Named = Pick<AccountEntity, 'account_id' | 'pseudonym'>;

/** The client user id to send to upstream. */
export function upstreamName({ account_id, pseudonym }: Named): string {
  return pseudonym ?? account_id;
}

/** All that upstream may call or have called the account's user. */
export function upstreamNames({ account_id, pseudonym }: Named): string[] {
  return pseudonym === null ? [account_id] : [account_id, pseudonym];
}

@Injectable()
export class Pseudonyms {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly config: UpstreamConfig,
  ) {}

  /** For an account that is made or renamed now; null where upstream is given account ids. */
  for(accountId: string): string | null {
    const { clientIdSecret } = this.config;
    return clientIdSecret === undefined ? null : pseudonymOf(accountId, clientIdSecret);
  }

  /** Upstream's users with the account id in the place of the pseudonym, of those that are some account's. */
  async withAccountIds(users: readonly WireUser[], queryable?: Queryable): Promise<WireUser[]> {
    const pseudonyms = users.map(({ client_user_id }) => client_user_id).filter(isPseudonym);
    const known = await this.accounts.ofPseudonyms(pseudonyms, queryable);
    return users.map((user) => ({ ...user, client_user_id: known.get(user.client_user_id) ?? user.client_user_id }));
  }
}
