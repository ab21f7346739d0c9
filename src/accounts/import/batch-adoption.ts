import { Injectable } from '@nestjs/common';
import { isExternalAccountId } from '../../platform/platform/ids.js';
import type { Tx } from '../../storage/database/tx.js';
import type { WireUser } from '../../upstream/client/wire-users.js';
import { AccountBatchesRepository } from '../accounts/account-batches.repository.js';
import { type Account, AccountsService } from '../accounts/accounts.service.js';
import { Pseudonyms } from '../accounts/pseudonyms.js';
import { ErasureFences } from '../erasure-guard/erasure-fences.service.js';
import { ErasureGuard } from '../erasure-guard/erasure-guard.service.js';
import type { AccountImportEntity, SeenUserEntity } from './account-import.entity.js';
import { AccountImportsRepository, type NewDifference } from './account-imports.repository.js';
import { judgeUsers, type LocalAccount, type Verdict } from './import-rules.js';

export interface Adopted {
  /** See `SeenPage`, also for `joined`. */
  readonly fresh: number;
  readonly joined: boolean;
  /** The updated counts of the import. */
  readonly counts: Pick<AccountImportEntity, 'known' | 'adopted' | 'refused'>;
}

/**
 * Adopts the users of a page in a constant number of statements, by the rules of `AccountsService.adopt` with one
 * exception: it refuses ids that look personal, because no data of these people has arrived yet that could be lost. Of
 * erased users, not even the id is stored.
 */
@Injectable()
export class BatchAdoption {
  constructor(
    private readonly accounts: AccountsService,
    private readonly batches: AccountBatchesRepository,
    private readonly pseudonyms: Pseudonyms,
    private readonly imports: AccountImportsRepository,
    private readonly guard: ErasureGuard,
    private readonly fences: ErasureFences,
  ) {}

  /** Stores the contents of a page: accounts, polls of their sources, differences and seen users. */
  async apply(tx: Tx, held: AccountImportEntity, page: readonly WireUser[], now: number): Promise<Adopted> {
    const unerased = await this.guard.withoutErased(tx, page, ({ user_id }) => user_id);
    const users = await this.pseudonyms.withAccountIds(await this.withoutFenced(tx, unerased), tx);
    const userIds = [...new Set(users.map((user) => user.user_id.toLowerCase()))];
    const seen = await this.imports.seen(held.id, userIds, tx);
    const stored = await this.accountsOf(tx, users, userIds);
    const judged = judgeUsers(users, stored);
    await this.accounts.follow(tx, users, stored);
    const wanted = judged.filter(({ is }) => is === 'new').map(({ user }) => user);
    const adopted = await this.batches.adopt(tx, wanted, now);
    const settled = settle(judged, await this.accountsOf(tx, users, userIds));
    const taken = settled.filter(({ userId }) => adopted.has(userId));
    const others = settled.filter(({ userId }) => !adopted.has(userId) && !seen.has(userId));
    const refused = others.filter(({ is }) => is === 'refused');
    await this.imports.markSeen(tx, settled.map(seenUserOf(held)));
    await this.imports.recordDifferences(tx, [...taken, ...refused].map(differenceOf(held.id, now)));
    return {
      fresh: page.length - users.length + userIds.filter((userId) => seen.get(userId) !== held.pass).length,
      joined: userIds[0] === undefined ? page.length > 0 : seen.get(userIds[0]) === held.pass,
      counts: {
        known: held.known + others.length - refused.length,
        adopted: held.adopted + taken.length,
        refused: held.refused + refused.length,
      },
    };
  }

  /** Filters out users with fenced ids, and counts the refusals within the transaction. */
  private async withoutFenced(tx: Tx, users: readonly WireUser[]): Promise<WireUser[]> {
    const names = users.map(({ client_user_id }) => client_user_id);
    const fenced = await this.fences.among(names, tx);
    await this.fences.count(tx, [...fenced]);
    return users.filter(({ client_user_id }) => !fenced.has(client_user_id));
  }

  private accountsOf(tx: Tx, users: readonly WireUser[], userIds: readonly string[]): Promise<Account[]> {
    const externalIds = users.map(({ client_user_id }) => client_user_id).filter(isExternalAccountId);
    return this.batches.listByEither(tx, userIds, externalIds);
  }
}

/** Judges new users again after the write: they are known now, unless another process mapped the account. */
function settle(judged: readonly Verdict[], accounts: readonly LocalAccount[]): Verdict[] {
  const after = new Map(
    judgeUsers(
      judged.map(({ user }) => user),
      accounts,
    ).map((verdict) => [verdict.userId, verdict]),
  );
  return judged.map((before) => (before.is === 'new' ? (after.get(before.userId) ?? before) : before));
}

function accountOf(verdict: Verdict): number | null {
  return verdict.is === 'new' ? null : verdict.account;
}

function seenUserOf({ id, pass }: AccountImportEntity): (verdict: Verdict) => SeenUserEntity {
  return (verdict) => ({ import_id: id, user_id: verdict.userId, account_id: accountOf(verdict), pass });
}

function differenceOf(importId: number, now: number): (verdict: Verdict) => NewDifference {
  return (verdict) => ({
    import_id: importId,
    kind: verdict.is === 'refused' ? 'refused' : 'adopted',
    reason: verdict.is === 'refused' ? verdict.reason : null,
    account_id: accountOf(verdict),
    user_id: verdict.userId,
    found_at: now,
  });
}
