import { Injectable } from '@nestjs/common';
import { Reader } from '../database/reader.js';

/** How many rows of one kind are in one state. */
export interface StatusCount {
  readonly status: string;
  readonly count: number;
}

export interface ConnectionCount extends StatusCount {
  readonly provider: string;
}

/** What no feature counts by itself. `lately` is since the instant that was asked for. */
export interface StoreFigures {
  readonly accounts: readonly StatusCount[];
  readonly connections: readonly ConnectionCount[];
  readonly tasks_pending: number;
  readonly tasks_running: number;
  readonly tasks_failed: number;
  readonly tasks_failed_lately: number;
  readonly pulls_failed: number;
  readonly pulls_failed_lately: number;
  readonly pulls_retrying: number;
  readonly orders_needing_redraw: number;
  readonly critical_results: number;
  readonly critical_results_lately: number;
  /** First start on this database, in epoch milliseconds. */
  readonly stamped_at: number | null;
  /** The last migration that ran. */
  readonly schema: string | null;
}

type Scalars = Omit<StoreFigures, 'accounts' | 'connections'>;
type ScalarName = keyof Scalars;

/*
 * A figure is one seek in an index, or a count over the part of an index that is work in hand or trouble: unfinished
 * tasks, failures, redraws. What grows without end, tasks that are done, is not counted.
 *
 * The exceptions: accounts and connections are counted whole, by state; critical results are few.
 */

/** `:since` marks figures about what happened lately. */
const scalars: Readonly<Record<ScalarName, string>> = {
  tasks_pending: `SELECT COUNT(*) FROM sync_tasks WHERE status = 'pending'`,
  tasks_running: `SELECT COUNT(*) FROM sync_tasks WHERE status = 'running'`,
  tasks_failed: `SELECT COUNT(*) FROM sync_tasks WHERE status = 'failed'`,
  tasks_failed_lately: `SELECT COUNT(*) FROM sync_tasks WHERE status = 'failed' AND finished_at >= :since`,
  pulls_failed: `SELECT COUNT(*) FROM historical_pulls WHERE status = 'failure'`,
  pulls_failed_lately: `SELECT COUNT(*) FROM historical_pulls WHERE status = 'failure' AND observed_at >= :since`,
  pulls_retrying: `SELECT COUNT(*) FROM historical_pulls WHERE status = 'retrying'`,
  orders_needing_redraw: `SELECT COUNT(*) FROM order_transactions WHERE needs = 'redraw'`,
  critical_results: 'SELECT COUNT(*) FROM critical_results',
  critical_results_lately: 'SELECT COUNT(*) FROM critical_results WHERE observed_at >= :since',
  stamped_at: 'SELECT stamped_at FROM instance WHERE id = 1',
  schema: 'SELECT name FROM migrations ORDER BY id DESC LIMIT 1',
};

const names = Object.keys(scalars) as ScalarName[];
const sinces = names.filter((name) => scalars[name].includes(':since')).length;

/** All that is read for an overview. */
export const overviewSql = {
  accounts: 'SELECT status, COUNT(*) AS count FROM accounts GROUP BY status ORDER BY status',
  connections: `SELECT provider, status, COUNT(*) AS count FROM connections GROUP BY provider, status
    ORDER BY provider, status`,
  scalars: `SELECT ${names.map((name) => `(${scalars[name].replace(':since', '?')}) AS ${name}`).join(',\n')}`,
} as const;

/** Counts over the tables of several features, where they offer none of their own. */
@Injectable()
export class OverviewReader {
  constructor(private readonly reader: Reader) {}

  get dialect(): string {
    return this.reader.dialect;
  }

  /** `since`, in epoch milliseconds, is where "lately" begins. */
  async read(since: number): Promise<StoreFigures> {
    const [accounts, connections, figures] = await Promise.all([
      this.reader.rows<StatusCount>(overviewSql.accounts),
      this.reader.rows<ConnectionCount>(overviewSql.connections),
      this.reader.row<Scalars>(
        overviewSql.scalars,
        Array.from({ length: sinces }, () => since),
      ),
    ]);
    if (!figures) throw new TypeError('a select without a table answered no row');
    return { accounts, connections, ...figures };
  }
}
