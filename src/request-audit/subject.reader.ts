import { Injectable } from '@nestjs/common';
import { isExternalAccountId } from '../platform/ids.js';
import { Reader } from '../database/reader.js';
import { isUuid } from '../platform/ids.js';
import type { Target } from './audit-policy.js';

const byTarget: Readonly<Record<string, string>> = {
  order: 'SELECT account_id AS account FROM orders WHERE order_id = ?',
  'order-transaction': 'SELECT account_id AS account FROM order_transactions WHERE order_transaction_id = ?',
  message: 'SELECT account_id AS account FROM messages WHERE message_id = ?',
};

/** Finds out whom a request is about. */
@Injectable()
export class SubjectReader {
  constructor(private readonly reader: Reader) {}

  /** `accounts.id` of the customer's id; null for what is none. */
  async account(accountId: unknown): Promise<number | null> {
    if (!isExternalAccountId(accountId)) return null;
    const found = await this.reader.row<{ id: number }>('SELECT id FROM accounts WHERE account_id = ?', [accountId]);
    return found?.id ?? null;
  }

  /** `accounts.id` of an upstream user; null for what is none. */
  async user(userId: unknown): Promise<number | null> {
    if (typeof userId !== 'string' || !isUuid(userId)) return null;
    const found = await this.reader.row<{ id: number }>('SELECT id FROM accounts WHERE upstream_user_id = ?', [
      userId.toLowerCase(),
    ]);
    return found?.id ?? null;
  }

  /** `accounts.id` of whom the first of them belongs to that belongs to anybody. Upstream's ids are in lower case. */
  async owner(targets: readonly Target[]): Promise<number | null> {
    for (const { kind, id } of targets) {
      const sql = byTarget[kind];
      if (sql === undefined || id === null) continue;
      const given = kind === 'message' ? id : id.toLowerCase();
      const found = await this.reader.row<{ account: number | null }>(sql, [given]);
      if (found?.account) return found.account;
    }
    return null;
  }
}
