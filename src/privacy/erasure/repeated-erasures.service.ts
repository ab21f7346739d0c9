import { Injectable } from '@nestjs/common';
import { type Account, AccountsService } from '../../accounts/accounts/accounts.service.js';
import { upstreamNames } from '../../accounts/accounts/pseudonyms.js';
import { ErasureFences } from '../../accounts/erasure-guard/erasure-fences.service.js';
import { ErasureGuard } from '../../accounts/erasure-guard/erasure-guard.service.js';
import { digestOf } from '../../accounts/erasure-guard/open-accounts.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { ErasureService } from './erasure.service.js';
import { ErasureTelemetry } from './erasure.telemetry.js';
import { ErasureWorker } from './erasure.worker.js';
import { ErasureJournal } from './erasure-journal.service.js';
import { ErasuresRepository } from './erasures.repository.js';
import { type JournalEntry, JournalUnusable } from './journal-file.js';

const MAX_ACCOUNTS = 500;

/**
 * Repeats erasures after a restore: the database may contain people who were erased after its backup, and the erasure
 * journal identifies them. Their rows are deleted before the first request is served; their upstream users are deleted
 * later, as for any erasure. People without an account are fenced as well. May be interrupted and repeated.
 */
@Injectable()
export class RepeatedErasures {
  constructor(
    private readonly journal: ErasureJournal,
    private readonly accounts: AccountsService,
    private readonly fences: ErasureFences,
    private readonly guard: ErasureGuard,
    private readonly erasures: ErasuresRepository,
    private readonly service: ErasureService,
    private readonly worker: ErasureWorker,
    private readonly lane: WriteLane,
    private readonly telemetry: ErasureTelemetry,
  ) {}

  /** Throws {@link JournalUnusable}. */
  async run(): Promise<void> {
    const unknown = await this.journal.open();
    if (!this.journal.isKept) this.telemetry.noJournal();
    if (unknown.length === 0) return;
    await this.fences.makeOwnKey();
    const byDigest = new Map(unknown.flatMap((entry) => digestsIn(entry).map((digest) => [digest, entry] as const)));
    for (let cursor: string | undefined; ; ) {
      const page = await this.accounts.list({ limit: MAX_ACCOUNTS, ...(cursor === undefined ? {} : { cursor }) });
      for (const account of page.data) {
        const [entry] = (await this.digestsOf(account)).flatMap((digest) => byDigest.get(digest) ?? []);
        if (entry !== undefined) await this.service.repeat(account, entry);
      }
      if (page.next_cursor === null) break;
      cursor = page.next_cursor;
    }
    await this.worker.deleteHere();
    if (await this.erasures.anyHere(unknown.map(({ erasure }) => erasure))) {
      throw new JournalUnusable('Erasures of the journal could not be repeated; the log contains the reason.');
    }
    for (const entry of unknown) await this.remember(entry);
  }

  /** Stores the fences and tombstones of an erasure. Must come last, because the erasure then counts as known. */
  private async remember({ erasure, at, names, users }: JournalEntry): Promise<void> {
    await this.lane.run(async (tx) => {
      await this.fences.addDigests(tx, names, erasure, at);
      // Without an upstream user, the digest of a name marks the erasure as known.
      await this.guard.addDigests(tx, users.length > 0 ? users : names.map(({ digest }) => digest), erasure, at);
    });
  }

  private async digestsOf(account: Account): Promise<string[]> {
    const former = await this.lane.run((tx) => this.accounts.formerUsers(tx, account.id));
    const users = [...(account.upstream_user_id === null ? [] : [account.upstream_user_id]), ...former];
    return [...users.map(digestOf), ...(await this.fences.digestsOf(upstreamNames(account)))];
  }
}

function digestsIn({ names, users }: JournalEntry): string[] {
  return [...names.map(({ digest }) => digest), ...users];
}
