import { Injectable } from '@nestjs/common';
import { type Account, AccountsService } from '../../accounts/accounts/accounts.service.js';
import { upstreamNames } from '../../accounts/accounts/pseudonyms.js';
import { type DigestOfName, ErasureFences } from '../../accounts/erasure-guard/erasure-fences.service.js';
import { ErasureGuard } from '../../accounts/erasure-guard/erasure-guard.service.js';
import { digestOf } from '../../accounts/erasure-guard/open-accounts.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { type JournalEntry, JournalUnusable } from './journal-file.js';

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

  /** The erasures among these that left no marks here. Throws {@link JournalUnusable} if a key of theirs is missing. */
  async unmarked(entries: readonly JournalEntry[]): Promise<JournalEntry[]> {
    const marked = await this.guard.erasures();
    const unmarked = entries.filter(({ erasure }) => !marked.has(erasure));
    const keys = new Set(unmarked.flatMap(({ names }) => names.map(({ key_id }) => key_id)));
    if (await this.fences.knowsKeys(keys)) return unmarked;
    throw new JournalUnusable('ERASURE_FENCE_SECRETS: a key of the erasure journal is missing.');
  }

  /** See `ErasureFences`. */
  makeOwnKey(): Promise<void> {
    return this.fences.makeOwnKey();
  }

  /** Digests of every id of an account, with every known key. */
  async digestsOf(account: Account): Promise<string[]> {
    const former = await this.lane.run((tx) => this.accounts.formerUsers(tx, account.id));
    const users = [...(account.upstream_user_id === null ? [] : [account.upstream_user_id]), ...former];
    return [...users.map(digestOf), ...(await this.fences.digestsOf(upstreamNames(account)))];
  }
}
