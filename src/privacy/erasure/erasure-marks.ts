import { Injectable } from '@nestjs/common';
import { type Account, AccountsService } from '../../accounts/accounts/accounts.service.js';
import { upstreamNames } from '../../accounts/accounts/pseudonyms.js';
import { type DigestOfName, ErasureFences } from '../../accounts/erasure-guard/erasure-fences.service.js';
import { ErasureGuard } from '../../accounts/erasure-guard/erasure-guard.service.js';
import { digestOf } from '../../accounts/erasure-guard/open-accounts.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import type { JournalEntry } from './journal-file.js';

/** What remains of erased people: digests of their ids here and upstream, which keep them out. */
@Injectable()
export class ErasureMarks {
  constructor(
    private readonly accounts: AccountsService,
    private readonly fences: ErasureFences,
    private readonly guard: ErasureGuard,
    private readonly lane: WriteLane,
  ) {}

  /** Digests of the ids of an erased person: the customer's, and those of the user and orders at upstream. */
  async of(erasureId: string): Promise<{ names: DigestOfName[]; users: string[] }> {
    return { names: await this.fences.ofErasure(erasureId), users: await this.guard.digestsOf(erasureId) };
  }

  /** Stores those of a journal's erasure. It then counts as known. */
  async add({ erasure, at, names, users }: Pick<JournalEntry, 'erasure' | 'at' | 'names' | 'users'>): Promise<void> {
    await this.lane.run(async (tx) => {
      await this.fences.addDigests(tx, names, erasure, at);
      // Without an upstream user, the digest of a name marks the erasure as known.
      await this.guard.addDigests(tx, users.length > 0 ? users : names.map(({ digest }) => digest), erasure, at);
    });
  }

  /** Ids of the known erasures. */
  erasures(): Promise<ReadonlySet<string>> {
    return this.guard.erasures();
  }

  /** See `ErasureFences`. */
  makeOwnKey(): Promise<void> {
    return this.fences.makeOwnKey();
  }

  /** True if all keys of these digests are known. */
  knowsKeys(keyIds: ReadonlySet<string>): Promise<boolean> {
    return this.fences.knowsKeys(keyIds);
  }

  /** Digests of every id of an account, with every known key. */
  async digestsOf(account: Account): Promise<string[]> {
    const former = await this.lane.run((tx) => this.accounts.formerUsers(tx, account.id));
    const users = [...(account.upstream_user_id === null ? [] : [account.upstream_user_id]), ...former];
    return [...users.map(digestOf), ...(await this.fences.digestsOf(upstreamNames(account)))];
  }
}
