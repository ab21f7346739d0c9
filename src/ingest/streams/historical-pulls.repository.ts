import { Injectable } from '@nestjs/common';
import { externalIdColumn, joinAccount } from '../../accounts/accounts/account-sql.js';
import { DAY_MS, type TimeRange } from '../../platform/platform/time.js';
import { shapeOf } from '../../storage/database/columns.js';
import { Conditions } from '../../storage/database/conditions.js';
import { Reader } from '../../storage/database/reader.js';
import { saveRows } from '../../storage/database/rows.js';
import type { Tx } from '../../storage/database/tx.js';
import { HistoricalPullEntity, isStuck } from './historical-pull.entity.js';

const pullRows = shapeOf(HistoricalPullEntity);

/** A pull with the account's own id, for operators. */
export type ShownPull = HistoricalPullEntity & { readonly account: string };

/** A window that one of our tasks pulled completely; `eventName` is upstream's name of the resource. */
export interface FetchedHistory {
  readonly account: number;
  /** Empty for every source. */
  readonly provider: string;
  readonly eventName: string;
  readonly window: TimeRange;
  readonly taskId: number;
}

export interface PullFilter {
  readonly account?: number | undefined;
  readonly provider?: string | undefined;
  readonly status?: string | undefined;
  /** True: those that upstream has not ended for a day; false: the others. */
  readonly stuck?: boolean | undefined;
  readonly now: number;
  /** Last row of the previous page. */
  readonly after?: readonly [account: number, provider: string, resource: string] | undefined;
  readonly limit: number;
}

const ofAccount = 'SELECT * FROM historical_pulls WHERE account_id = ?';

/** The historical_pulls table: upstream's latest report of each of its pulls. */
@Injectable()
export class HistoricalPullsRepository {
  constructor(private readonly reader: Reader) {}

  listIn(tx: Tx, account: number): Promise<HistoricalPullEntity[]> {
    return tx.rows(ofAccount, [account]);
  }

  async find(tx: Tx, account: number, provider: string, eventName: string): Promise<HistoricalPullEntity | null> {
    const sql = `${ofAccount} AND provider = ? AND resource = ?`;
    const [pull] = await tx.few<HistoricalPullEntity>(sql, [account, provider, eventName]);
    return pull ?? null;
  }

  /** Stores upstream's reports and replaces older ones of the same pulls. */
  async store(tx: Tx, pulls: readonly HistoricalPullEntity[]): Promise<void> {
    await saveRows(tx, pullRows, pulls);
  }

  /** See CoverageService.historyFetched. */
  async fetched(tx: Tx, { account, provider, eventName, window, taskId }: FetchedHistory): Promise<void> {
    await tx.execute(
      `UPDATE historical_pulls SET task_id = ?
       WHERE account_id = ? AND resource = ? AND (provider = ? OR ? = '') AND status = 'success'
         AND range_start >= ? AND range_end <= ? AND task_id < ?`,
      [taskId, account, eventName, provider, provider, window.start, window.end, taskId],
    );
  }

  list(account: number): Promise<HistoricalPullEntity[]> {
    return this.reader.rows(ofAccount, [account]);
  }

  page({ account, provider, status, stuck, now, after, limit }: PullFilter): Promise<ShownPull[]> {
    const conditions = new Conditions()
      .add('p.account_id = ?', account)
      .add('p.provider = ?', provider)
      .add('p.status = ?', status)
      .add('(p.account_id, p.provider, p.resource) > (?, ?, ?)', ...(after ?? [undefined]));
    if (stuck !== undefined) conditions.add(`${stuck ? '' : 'NOT '}(${isStuck('?')})`, now - DAY_MS);
    return this.reader.rows(
      `SELECT p.*, ${externalIdColumn} AS account FROM historical_pulls p ${joinAccount('p.account_id')} ${conditions.where}
       ORDER BY p.account_id, p.provider, p.resource LIMIT ?`,
      [...conditions.values, limit],
    );
  }
}
