import { Injectable } from '@nestjs/common';
import { UpstreamConfig } from '../../platform/config/config.js';
import { isPseudonym, pseudonymOf } from '../../platform/platform/ids.js';
import type { Queryable, Tx } from '../../storage/database/tx.js';
import type { WireUser } from '../../upstream/client/wire-users.js';
import type { AccountEntity } from './account.entity.js';
import { AccountsRepository } from './accounts.repository.js';

/*
 * Upstream's name for an account's user (`client_user_id`): the account id or, with `CLIENT_ID_SECRET`, a pseudonym
 * derived from it with that secret. An account keeps its pseudonym even if the secret changes, so accounts are looked
 * up by the stored one. All code that compares upstream's names with accounts uses this file.
 *
 *   new account, secret set        pseudonym from the first call on
 *   existing account, secret set   pseudonym stored --upstream renamed the user--> pseudonym_at (pseudonyms.worker.ts)
 *   no secret set                  no new pseudonyms; existing ones stay
 *
 * Both names are always recognised, because events and pages may be older than a rename.
 */

type Named = Pick<AccountEntity, 'account_id' | 'pseudonym'>;

/** The client user id to send to upstream. */
export function upstreamName({ account_id, pseudonym }: Named): string {
  return pseudonym ?? account_id;
}

/** Every name that upstream may use or have used for the account's user. */
export function upstreamNames({ account_id, pseudonym }: Named): string[] {
  return pseudonym === null ? [account_id] : [account_id, pseudonym];
}

@Injectable()
export class Pseudonyms {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly config: UpstreamConfig,
  ) {}

  /** The pseudonym for a new or renamed account; null if `CLIENT_ID_SECRET` is not set. */
  for(accountId: string): string | null {
    const { clientIdSecret } = this.config;
    return clientIdSecret === undefined ? null : pseudonymOf(accountId, clientIdSecret);
  }

  /** The same users, with known pseudonyms replaced by account ids. */
  async withAccountIds(users: readonly WireUser[], queryable?: Queryable): Promise<WireUser[]> {
    const pseudonyms = users.map(({ client_user_id }) => client_user_id).filter(isPseudonym);
    const known = await this.accounts.ofPseudonyms(pseudonyms, queryable);
    return users.map((user) => ({ ...user, client_user_id: known.get(user.client_user_id) ?? user.client_user_id }));
  }

  /** Accounts after this one whose users upstream has under the account id. */
  unrenamed(after: number, limit: number): Promise<AccountEntity[]> {
    return this.accounts.unrenamed(after, limit);
  }

  countUnrenamed(): Promise<number> {
    return this.accounts.countUnrenamed();
  }

  /** Stores the pseudonym before upstream gets it; null if there is none to give. */
  async keep(tx: Tx, { id, account_id, pseudonym }: AccountEntity): Promise<string | null> {
    const wanted = pseudonym ?? this.for(account_id);
    return wanted && this.accounts.keepPseudonym(tx, id, wanted);
  }

  /** Upstream has renamed the user. */
  renamed(tx: Tx, id: AccountEntity['id'], pseudonym: string): Promise<unknown> {
    return this.accounts.renamed(tx, id, pseudonym, tx.now);
  }
}
