import { Injectable } from '@nestjs/common';
import { externalIdColumn, joinAccount } from '../accounts/account-sql.js';
import { Reader } from '../database/reader.js';

/** An installation of the app that got too many sign-in tokens in a day. */
export interface FrequentInstallation {
  /** `accounts.id`. */
  readonly account_ref: number;
  readonly account_id: string;
  /** Empty when the app named none. */
  readonly installation: string;
  /** The most it got within any day that ended since the instant asked for. */
  readonly tokens: number;
  readonly last_issued_at: number;
}

/** Reads the flagged issues alone: their index holds nothing else. */
@Injectable()
export class FrequentSignInsReader {
  constructor(private readonly reader: Reader) {}

  /** By account in the order in which they were made, then installation. */
  page(
    since: number,
    after: readonly [account: number, installation: string],
    limit: number,
  ): Promise<FrequentInstallation[]> {
    return this.reader.rows(
      `SELECT f.account_ref, ${externalIdColumn} AS account_id, f.installation, f.tokens, f.last_issued_at FROM (
         SELECT t.account_id AS account_ref, COALESCE(t.installation_id, '') AS installation,
           MAX(t.frequency) AS tokens, MAX(t.issued_at) AS last_issued_at
         FROM token_issues t WHERE t.frequency IS NOT NULL AND t.issued_at > ?
         GROUP BY t.account_id, COALESCE(t.installation_id, '')) f
       ${joinAccount('f.account_ref')}
       WHERE (f.account_ref, f.installation) > (?, ?) ORDER BY f.account_ref, f.installation LIMIT ?`,
      [since, ...after, limit],
    );
  }
}
