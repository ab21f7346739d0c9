import { Injectable } from '@nestjs/common';
import { AccountsService } from '../../accounts/accounts/accounts.service.js';
import { isExternalAccountId, isUuid } from '../../platform/platform/ids.js';
import { Reader } from '../../storage/database/reader.js';
import { Declarations } from '../../storage/declarations/declarations.js';
import type { Target } from './audit-policy.js';

/** Finds the account a request is about. */
@Injectable()
export class SubjectReader {
  constructor(
    private readonly reader: Reader,
    private readonly accounts: AccountsService,
    private readonly declarations: Declarations,
  ) {}

  /** `accounts.id` for a customer's id; null if unknown. */
  async account(accountId: unknown): Promise<number | null> {
    if (!isExternalAccountId(accountId)) return null;
    return (await this.accounts.find(accountId))?.id ?? null;
  }

  /** `accounts.id` of an upstream user; null if unknown. */
  async user(userId: unknown): Promise<number | null> {
    if (typeof userId !== 'string' || !isUuid(userId)) return null;
    return (await this.accounts.findByUpstreamUser(userId))?.id ?? null;
  }

  /** `accounts.id` of the owner of the first target that has one. */
  async owner(targets: readonly Target[]): Promise<number | null> {
    for (const { kind, id } of targets) {
      if (id === null) continue;
      const { auditSubjects, auditNumbers } = this.declarations;
      const [sql, value] = auditNumbers[kind] ? [auditNumbers[kind], numberOf(id)] : [auditSubjects[kind], id];
      if (sql === undefined || value === null) continue;
      const found = await this.reader.row<{ account: number | null }>(sql, [value]);
      if (found?.account) return found.account;
    }
    return null;
  }
}

/** Null for a text that is no number of a row. */
function numberOf(id: string): number | null {
  return /^\d{1,15}$/.test(id) ? Number(id) : null;
}
