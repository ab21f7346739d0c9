import { Injectable } from '@nestjs/common';
import type { Tx } from '../../storage/database/tx.js';
import { UpstreamClient } from '../../upstream/client/upstream.client.js';
import type { WireUser } from '../../upstream/client/wire-users.js';
import { type CallOptions } from '../../upstream/transport/call.js';
import { AccountBatchesRepository } from '../accounts/account-batches.repository.js';
import type { Account } from '../accounts/accounts.service.js';
import { upstreamName } from '../accounts/pseudonyms.js';
import type { AccountImportEntity } from './account-import.entity.js';
import { AccountImportsRepository, type ImportChange } from './account-imports.repository.js';
import { BatchAdoption } from './batch-adoption.js';
import type { AbsenceReason, LocalAccount } from './import-rules.js';
import { ImportTuning } from './import-scan.js';

/** Result of looking up one account that the scan did not see. */
type Answer =
  | { readonly account: LocalAccount; readonly there: WireUser | null }
  | { readonly account: LocalAccount; readonly absent: AbsenceReason };

export interface Comparison {
  readonly answers: readonly Answer[];
  /** Accounts up to this number are compared now; null if none are left. */
  readonly until: number | null;
}

/** Looks up accounts that the scan did not see. They are reported as unknown only after upstream confirmed it. */
@Injectable()
export class MissingAccounts {
  constructor(
    private readonly accounts: AccountBatchesRepository,
    private readonly imports: AccountImportsRepository,
    private readonly upstream: UpstreamClient,
    private readonly adoption: BatchAdoption,
    private readonly tuning: ImportTuning,
  ) {}

  /** Compares the next accounts with the seen users and looks up those not seen. Throws `UpstreamError`. */
  async compare(held: AccountImportEntity, options: CallOptions): Promise<Comparison> {
    const { compared, verified: limit } = this.tuning;
    const accounts = await this.accounts.listAfter(held.verified_until, compared);
    const until = accounts.at(-1)?.id ?? null;
    if (until === null) return { answers: [], until };
    const unseen = (await this.unseen(held.id, accounts)).slice(0, limit);
    const answers = await Promise.all(unseen.map((account) => this.ask(account, options)));
    return { answers, until: unseen.length < limit ? until : (unseen.at(-1)?.id ?? until) };
  }

  async store(tx: Tx, held: AccountImportEntity, { answers }: Comparison, now: number): Promise<ImportChange> {
    const absent = answers.flatMap((answer) => ('absent' in answer ? [answer] : []));
    const found = answers.flatMap((answer) => ('there' in answer && answer.there ? [answer.there] : []));
    await this.imports.recordDifferences(
      tx,
      absent.map(({ account, absent: reason }) => ({
        import_id: held.id,
        kind: 'unknown_upstream' as const,
        reason,
        account_id: account.id,
        user_id: account.upstream_user_id,
        found_at: now,
      })),
    );
    const { counts } = await this.adoption.apply(tx, held, found, now);
    return { ...counts, verified: held.verified + answers.length, missing: held.missing + absent.length };
  }

  /** Accounts without a user, or whose user the import has not seen; without accounts being erased. */
  private async unseen(importId: number, accounts: readonly Account[]): Promise<Account[]> {
    const userIds = accounts.map((account) => account.upstream_user_id).filter((id) => id !== null);
    const seen = await this.imports.seen(importId, userIds);
    return accounts.filter(({ status, upstream_user_id: userId }) => {
      return status !== 'erasing' && (userId === null || !seen.has(userId));
    });
  }

  /** Looks up the user id first. The account id then distinguishes a recreated user from none. */
  private async ask(account: LocalAccount, options: CallOptions): Promise<Answer> {
    const { upstream_user_id: userId } = account;
    const own = userId === null ? null : await this.upstream.findUser(userId, options);
    if (own) return { account, there: own };
    const named = await this.upstream.resolveUser(upstreamName(account), options);
    if (userId === null) return named ? { account, there: named } : { account, absent: 'never_made' };
    return { account, absent: named ? 'user_replaced' : 'user_gone' };
  }
}
