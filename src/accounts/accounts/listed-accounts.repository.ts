import { Injectable } from '@nestjs/common';
import { Conditions } from '../../storage/database/conditions.js';
import { afterAllWith, filledUp, placeholders, type SqlInput } from '../../storage/database/dialect.js';
import { Reader } from '../../storage/database/reader.js';
import type { AccountEntity } from './account.entity.js';
import type { ShownStatus } from './account-status.js';

/** Part of a statement with the values of its placeholders. */
export interface SqlPart {
  readonly sql: string;
  readonly values: readonly SqlInput[];
}

export interface AccountFilter {
  readonly status?: ShownStatus | undefined;
  /** A SELECT that returns the `accounts.id` to include. */
  readonly among?: SqlPart | undefined;
  readonly limit: number;
}

/** Shorter texts are no beginning of an id: too many ids have it. */
const MIN_BEGINNING = 8;
const MAX_BEGUN = 20;

const otherIds = ['upstream_user_id', 'pseudonym', 'log_ref'] as const;
const isOther = otherIds
  .map(
    (id) =>
      `SELECT account_id FROM (SELECT account_id FROM accounts WHERE ${id} >= ? AND ${id} < ? LIMIT ${MAX_BEGUN}) ${id}s`,
  )
  .join(' UNION ');

/** Lists of accounts for operators. */
@Injectable()
export class ListedAccounts {
  /** Account ids that one statement looks at; replaced by tests. */
  sliceSize = 1_000_000;

  constructor(private readonly reader: Reader) {}

  /** In order of creation, after `afterId`. */
  inOrder(filter: AccountFilter, afterId: number): Promise<AccountEntity[]> {
    const { where, values } = conditionsOf(filter).add('id > ?', afterId);
    return this.reader.rows(`SELECT * FROM accounts ${where} ORDER BY id LIMIT ?`, [...values, filter.limit]);
  }

  /**
   * In order of account id, after `afterId`: those whose account id contains `q` in either case, or whose upstream user
   * id, pseudonym or log reference begins with `q`, from eight characters on.
   */
  async find(q: string, filter: AccountFilter, afterId: string): Promise<AccountEntity[]> {
    const text = q.toLowerCase();
    const range = [text, afterAllWith(text)];
    const isBeginning = text.length >= MIN_BEGINNING;
    const others = isBeginning
      ? await this.reader.rows<{ account_id: string }>(
          isOther,
          otherIds.flatMap(() => range),
        )
      : [];
    const found = [...others.map(({ account_id }) => account_id), ...(await this.containing(text, filter, afterId))];
    if (found.length === 0) return [];
    const ids = filledUp(found);
    const conditions = conditionsOf(filter)
      .add(`account_id IN (${placeholders(ids.length)})`, ...ids)
      .add('account_id > ?', afterId);
    return this.reader.rows(`SELECT * FROM accounts ${conditions.where} ORDER BY account_id LIMIT ?`, [
      ...conditions.values,
      filter.limit,
    ]);
  }

  /** At most `count` active accounts (`accounts.id`) with an upstream user, spread evenly over all numbers. */
  async spread(count: number): Promise<number[]> {
    const newest = (await this.reader.row<{ id: number | null }>('SELECT MAX(id) AS id FROM accounts'))?.id ?? 0;
    const sql = `SELECT id FROM accounts WHERE status = 'active' AND id >= ? ORDER BY id LIMIT 1`;
    const places = Array.from({ length: count }, (_, index) => 1 + Math.floor((newest * index) / count));
    const found = await Promise.all(places.map((from) => this.reader.row<{ id: number }>(sql, [from])));
    return [...new Set(found.flatMap((row) => row?.id ?? []))];
  }

  /** Reads the index of account ids alone, unless there are other conditions; in slices, if it is very large. */
  private async containing(text: string, filter: AccountFilter, afterId: string): Promise<string[]> {
    const found: string[] = [];
    const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
    for (let after = afterId; ; ) {
      const last = await this.endOfSlice(after);
      const { where, values } = conditionsOf(filter)
        .add('account_id > ?', after)
        .add('account_id <= ?', last ?? undefined)
        .add(`LOWER(account_id) LIKE ? ESCAPE '\\'`, pattern);
      const sql = `SELECT account_id FROM accounts ${where} ORDER BY account_id LIMIT ?`;
      const rows = await this.reader.rows<{ account_id: string }>(sql, [...values, filter.limit - found.length]);
      found.push(...rows.map(({ account_id }) => account_id));
      if (last === null || found.length === filter.limit) return found;
      after = last;
    }
  }

  /** Last account id of the next slice; null if it is the last one. */
  private async endOfSlice(after: string): Promise<string | null> {
    const newest = await this.reader.row<{ id: number | null }>('SELECT MAX(id) AS id FROM accounts');
    if ((newest?.id ?? 0) <= this.sliceSize) return null;
    const sql = 'SELECT account_id FROM accounts WHERE account_id > ? ORDER BY account_id LIMIT 1 OFFSET ?';
    const [end] = await this.reader.rows<{ account_id: string }>(sql, [after, this.sliceSize - 1]);
    return end?.account_id ?? null;
  }
}

function conditionsOf({ status, among }: AccountFilter): Conditions {
  const conditions = new Conditions().add('status = ?', status === 'user_gone' ? 'active' : status);
  if (status === 'user_gone') conditions.add('user_gone_at IS NOT NULL');
  if (status === 'active') conditions.add('user_gone_at IS NULL');
  if (among) conditions.add(`id IN (${among.sql})`, ...among.values);
  return conditions;
}
