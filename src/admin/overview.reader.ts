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

/** What no feature counts by itself. `lately` and `since` by the instants that were asked for. */
export interface StoreFigures {
  readonly accounts: readonly StatusCount[];
  readonly connections: readonly ConnectionCount[];
  readonly tasks_pending: number;
  readonly tasks_running: number;
  readonly tasks_failed: number;
  readonly tasks_failed_lately: number;
  readonly pulls_failed: number;
  readonly pulls_failed_lately: number;
  readonly pulls_failed_since: number | null;
  readonly pulls_retrying: number;
  /** Pulls of upstream's that have been open for longer than they should; since when the oldest has. */
  readonly pulls_stuck: number;
  readonly pulls_stuck_since: number | null;
  /** Installations that ask for sign-in tokens as if each launch were a sign-in. */
  readonly frequent_installations: number;
  /** Since when no tokens are issued to anybody; null while they are. */
  readonly tokens_closed_at: number | null;
  /** Messages that were signed for us and are of another team. */
  readonly foreign_messages_lately: number;
  readonly orders_needing_redraw: number;
  /** Erasures that fail again and again, or found something that had come back. */
  readonly erasures_held_up: number;
  readonly critical_results: number;
  readonly critical_results_lately: number;
  /** When the last of them was heard of. */
  readonly critical_results_newest_at: number | null;
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

/** From when on, and until when, in epoch milliseconds. */
export interface Bounds {
  /** Where "lately" begins. */
  readonly lately: number;
  /** Where the last day begins. */
  readonly day: number;
}

const stuck = `FROM historical_pulls WHERE status IN ('scheduled', 'in_progress', 'retrying')
  AND COALESCE(scheduled_at, observed_at) <= :day`;

/** `:lately` and `:day` stand for the bounds. */
const scalars: Readonly<Record<ScalarName, string>> = {
  tasks_pending: `SELECT COUNT(*) FROM sync_tasks WHERE status = 'pending'`,
  tasks_running: `SELECT COUNT(*) FROM sync_tasks WHERE status = 'running'`,
  tasks_failed: `SELECT COUNT(*) FROM sync_tasks WHERE status = 'failed'`,
  tasks_failed_lately: `SELECT COUNT(*) FROM sync_tasks WHERE status = 'failed' AND finished_at >= :lately`,
  pulls_failed: `SELECT COUNT(*) FROM historical_pulls WHERE status = 'failure'`,
  pulls_failed_lately: `SELECT COUNT(*) FROM historical_pulls WHERE status = 'failure' AND observed_at >= :lately`,
  pulls_failed_since: `SELECT MIN(observed_at) FROM historical_pulls WHERE status = 'failure'`,
  pulls_retrying: `SELECT COUNT(*) FROM historical_pulls WHERE status = 'retrying'`,
  pulls_stuck: `SELECT COUNT(*) ${stuck}`,
  pulls_stuck_since: `SELECT MIN(COALESCE(scheduled_at, observed_at)) ${stuck}`,
  frequent_installations: `SELECT COUNT(*) FROM (SELECT DISTINCT account_id, installation_id FROM token_issues
    WHERE frequency IS NOT NULL AND issued_at > :day) frequent`,
  tokens_closed_at: 'SELECT closed_at FROM token_switch WHERE id = 1',
  foreign_messages_lately: `SELECT COUNT(*) FROM messages WHERE reason = 'foreign_team' AND received_at >= :lately`,
  orders_needing_redraw: `SELECT COUNT(*) FROM order_transactions WHERE needs = 'redraw'`,
  erasures_held_up: `SELECT COUNT(*) FROM erasures WHERE due_at IS NOT NULL
    AND (attempts >= 5 OR error_code IN ('user_found', 'rows_found'))`,
  critical_results: 'SELECT COUNT(*) FROM critical_results',
  critical_results_lately: 'SELECT COUNT(*) FROM critical_results WHERE observed_at >= :lately',
  critical_results_newest_at: 'SELECT MAX(observed_at) FROM critical_results',
  stamped_at: 'SELECT stamped_at FROM instance WHERE id = 1',
  schema: 'SELECT name FROM migrations ORDER BY id DESC LIMIT 1',
};

const names = Object.keys(scalars) as ScalarName[];
const boundPattern = /:(lately|day)\b/g;
const scalarsSql = names.map((name) => `(${scalars[name]}) AS ${name}`).join(',\n');
const bounds = Array.from(scalarsSql.matchAll(boundPattern), ([, name]) => name as keyof Bounds);

/** All that is read for an overview. */
export const overviewSql = {
  accounts: 'SELECT status, COUNT(*) AS count FROM accounts GROUP BY status ORDER BY status',
  connections: `SELECT provider, status, COUNT(*) AS count FROM connections GROUP BY provider, status
    ORDER BY provider, status`,
  scalars: `SELECT ${scalarsSql.replace(boundPattern, '?')}`,
} as const;

/** Counts over the tables of several features, where they offer none of their own. */
@Injectable()
export class OverviewReader {
  constructor(private readonly reader: Reader) {}

  get dialect(): string {
    return this.reader.dialect;
  }

  async read(given: Bounds): Promise<StoreFigures> {
    const [accounts, connections, figures] = await Promise.all([
      this.reader.rows<StatusCount>(overviewSql.accounts),
      this.reader.rows<ConnectionCount>(overviewSql.connections),
      this.reader.row<Scalars>(
        overviewSql.scalars,
        bounds.map((name) => given[name]),
      ),
    ]);
    if (!figures) throw new TypeError('a select without a table answered no row');
    return { accounts, connections, ...figures };
  }
}
