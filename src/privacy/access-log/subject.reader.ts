import { Injectable } from '@nestjs/common';
import { AccountsService } from '../../accounts/accounts/accounts.service.js';
import { isExternalAccountId, isUuid } from '../../platform/platform/ids.js';
import { Reader } from '../../storage/database/reader.js';
import { Declarations } from '../../storage/declarations/declarations.js';
import type { Target } from './audit-policy.js';

/** Finds out whom a request is about. */
@Injectable()
export class SubjectReader {
  constructor(
    private readonly reader: Reader,
    private readonly accounts: AccountsService,
    private readonly declarations: Declarations,
  ) {}

  /** `accounts.id` of the customer's id; null for what is none. */
  async account(accountId: unknown): Promise<number | null> {
    if (!isExternalAccountId(accountId)) return null;
    return (await this.accounts.find(accountId))?.id ?? null;
  }

  /** `accounts.id` of an upstream user; null for what is none. */
  async user(userId: unknown): Promise<number | null> {
    if (typeof userId !== 'string' || !isUuid(userId)) return null;
    return (await this.accounts.findByUpstreamUser(userId))?.id ?? null;
  }

  /** `accounts.id` of whom the first of them belongs to that belongs to anybody. */
  async owner(targets: readonly Target[]): Promise<number | null> {
    for (const { kind, id } of targets) {
      const sql = this.declarations.auditSubjects[kind];
      if (sql === undefined || id === null) continue;
      const found = await this.reader.row<{ account: number | null }>(sql, [id]);
      if (found?.account) return found.account;
    }
    return null;
  }
}
