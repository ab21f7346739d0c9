import { Injectable } from '@nestjs/common';
import { Conditions } from '../database/conditions.js';
import { Reader } from '../database/reader.js';
import type { BulkShape, Tx } from '../database/tx.js';
import type { TimeRange } from '../platform/time.js';
import type { HistoricalPullEntity } from './historical-pull.entity.js';
import type { TaskStatusOfPull } from './history-state.js';

const columns = [
  { name: 'account_id', type: 'int' },
  { name: 'provider', type: 'text' },
  { name: 'resource', type: 'text' },
  { name: 'status', type: 'text' },
  { name: 'days_with_data', type: 'int' },
  { name: 'range_start', type: 'int' },
  { name: 'range_end', type: 'int' },
  { name: 'release', type: 'text' },
  { name: 'trace_id', type: 'text' },
  { name: 'error_details', type: 'text' },
  { name: 'scheduled_at', type: 'int' },
  { name: 'started_at', type: 'int' },
  { name: 'ended_at', type: 'int' },
  { name: 'task_id', type: 'int' },
  { name: 'observed_at', type: 'int' },
] as const;
const key = ['account_id', 'provider', 'resource'];

const latest: BulkShape = {
  table: 'historical_pulls',
  columns,
  conflict: key,
  update: columns.map(({ name }) => name).filter((name) => !key.includes(name)),
};

/** A pull with the account's own id, for operators. */
export type ShownPull = HistoricalPullEntity & { readonly account: string };

export interface PullFilter {
  readonly account?: number | undefined;
  readonly provider?: string | undefined;
  readonly status?: string | undefined;
  /** The last row of the page before. */
  readonly after?: readonly [account: number, provider: string, resource: string] | undefined;
  readonly limit: number;
}

/** The historical_pulls table: upstream's latest word on each of its pulls. */
@Injectable()
export class HistoricalPullsRepository {
  constructor(private readonly reader: Reader) {}

  known(tx: Tx, account: number): Promise<HistoricalPullEntity[]> {
    return tx.rows('SELECT * FROM historical_pulls WHERE account_id = ?', [account]);
  }

  async store(tx: Tx, pulls: readonly HistoricalPullEntity[]): Promise<void> {
    await tx.bulk(
      latest,
      pulls.flatMap((pull) => columns.map(({ name }) => pull[name])),
    );
  }

  /**
   * Lets a task that pulled a window whole stand for the pulls whose range lies in it. It counts only for successes
   * known before it was made: their own task has a smaller id.
   */
  async adopt(
    tx: Tx,
    pulled: { account: number; provider: string; eventName: string; window: TimeRange; taskId: number },
  ): Promise<void> {
    const { account, provider, eventName, window, taskId } = pulled;
    await tx.execute(
      `UPDATE historical_pulls SET task_id = ?
       WHERE account_id = ? AND resource = ? AND (provider = ? OR ? = '') AND status = 'success'
         AND range_start >= ? AND range_end <= ? AND task_id < ?`,
      [taskId, account, eventName, provider, provider, window.start, window.end, taskId],
    );
  }

  /** Every pull of an account with the state of our task for it. */
  stands(account: number): Promise<(HistoricalPullEntity & TaskStatusOfPull)[]> {
    return this.reader.rows(
      `SELECT p.*, t.status AS task
       FROM historical_pulls p LEFT JOIN sync_tasks t ON t.id = p.task_id WHERE p.account_id = ?`,
      [account],
    );
  }

  /** Pulls by account, provider and resource. */
  page({ account, provider, status, after, limit }: PullFilter): Promise<ShownPull[]> {
    const conditions = new Conditions()
      .add('p.account_id = ?', account)
      .add('p.provider = ?', provider)
      .add('p.status = ?', status)
      .add('(p.account_id, p.provider, p.resource) > (?, ?, ?)', ...(after ?? [undefined]));
    return this.reader.rows(
      `SELECT p.*, a.account_id AS account FROM historical_pulls p JOIN accounts a ON a.id = p.account_id ${conditions.where}
       ORDER BY p.account_id, p.provider, p.resource LIMIT ?`,
      [...conditions.values, limit],
    );
  }
}
