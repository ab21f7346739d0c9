import { Injectable } from '@nestjs/common';
import { HOUR_MS } from '../../platform/platform/time.js';
import { Reader } from '../database/reader.js';
import {
  type CountFigure,
  countFigures,
  Declarations,
  type GroupName,
  type InstantFigure,
  instantFigures,
  MAX_COUNTED_TOGETHER,
} from './declarations.js';
import { FleetCounts } from './fleet-counts.js';

export interface StatusCount {
  readonly status: string;
  readonly count: number;
}

export interface ConnectionCount extends StatusCount {
  readonly provider: string;
}

export interface ReasonCount {
  readonly reason: string;
  readonly count: number;
}

type Scalars = Readonly<Record<CountFigure, number> & Record<InstantFigure, number | null>>;

export interface StoreFigures extends Scalars {
  readonly accounts: readonly StatusCount[];
  readonly connections: readonly ConnectionCount[];
  /** When the accounts and connections were counted, in epoch milliseconds. */
  readonly counted_at: number;
  /** Endpoints that pushes do not reach, by the reason of the last attempt. */
  readonly endpoint_failures: readonly ReasonCount[];
}

/** Rows of a queue that wait after a failure. */
export interface WaitingCount {
  readonly kind: string;
  readonly error: string;
  readonly count: number;
}

/** Failures that cannot be undone raise an alarm for this many days, and then only count in the totals. */
export const latelyDays = 7;

/** A second draw that is owed for longer than this raises an alarm of its own. */
export const owedDays = 14;

/** Times named in declared statements, in epoch milliseconds. */
const bounds = {
  lately: (now: number) => now - latelyDays * 24 * HOUR_MS,
  owed: (now: number) => now - owedDays * 24 * HOUR_MS,
  day: (now: number) => now - 24 * HOUR_MS,
  now: (now: number) => now,
} as const;
type Bound = keyof typeof bounds;

const boundPattern = /:(lately|owed|day|now)\b/g;

/** A count that reads as many entries as there are sources of retired providers. */
const counted = 'retired_sources' satisfies CountFigure;

type StatementName = GroupName | 'scalars' | 'counted';

/** Reads the figures that rooms declare: all scalars with one statement, each group with its own. */
@Injectable()
export class FiguresReader {
  /** With `?` for each of the bounds. */
  readonly sql: Readonly<Record<StatementName, string>>;
  private readonly named: Readonly<Record<StatementName, string>>;
  private readonly connectionsOfKind: string;
  private readonly waitingSql: readonly (readonly [string, string])[];

  /** Throws `TypeError` if no room declares a figure. */
  constructor(
    private readonly reader: Reader,
    private readonly counts: FleetCounts,
    { figures, groups, fullCounts, waiting }: Declarations,
  ) {
    this.connectionsOfKind = declared(fullCounts, 'connections');
    this.waitingSql = Object.entries(waiting);
    const scalars = [...countFigures.filter((name) => name !== counted), ...instantFigures]
      .map((name) => `(${declared(figures, name)}) AS ${name}`)
      .join(',\n');
    this.named = {
      accounts: declared(groups, 'accounts'),
      connections: declared(groups, 'connections'),
      endpoint_failures: declared(groups, 'endpoint_failures'),
      scalars: `SELECT ${scalars}`,
      counted: `SELECT (${declared(figures, counted)}) AS ${counted}`,
    };
    const filled = Object.entries(this.named).map(([name, sql]) => [name, sql.replace(boundPattern, '?')]);
    this.sql = Object.fromEntries(filled) as typeof this.named;
  }

  get dialect(): string {
    return this.reader.dialect;
  }

  /** Rows that wait after a failure, by kind and last error code. */
  async waiting(): Promise<WaitingCount[]> {
    const counts = this.waitingSql.map(async ([kind, sql]) => {
      const rows = await this.reader.rows<Omit<WaitingCount, 'kind'>>(sql);
      return rows.map((row) => ({ kind, ...row }));
    });
    return (await Promise.all(counts)).flat();
  }

  async read(now: number): Promise<StoreFigures> {
    const [figures, accounts] = await Promise.all([
      this.readWithoutAccounts(now),
      this.counts.of('accounts', () => this.reader.rows<StatusCount>(this.sql.accounts)),
    ]);
    return { ...figures, accounts: accounts.value, counted_at: Math.min(accounts.at, figures.counted_at) };
  }

  /** For what does not show accounts. */
  async readWithoutAccounts(now: number): Promise<Omit<StoreFigures, 'accounts'>> {
    const rows = <T>(statement: StatementName): Promise<T[]> => {
      const named = this.named[statement].matchAll(boundPattern);
      return this.reader.rows<T>(
        this.sql[statement],
        Array.from(named, ([, name]) => bounds[name as Bound](now)),
      );
    };
    const [connections, retired, endpoint_failures, [scalars]] = await Promise.all([
      this.counts.of('connections', async () => this.fullCounts(await rows<ConnectionCount>('connections'))),
      this.counts.of(counted, () => rows<Pick<Scalars, typeof counted>>('counted')),
      rows<ReasonCount>('endpoint_failures'),
      rows<Omit<Scalars, typeof counted>>('scalars'),
    ]);
    if (!scalars) throw new TypeError('a select without a table answered no row');
    const counted_at = Math.min(connections.at, retired.at);
    const retired_sources = retired.value[0]?.retired_sources ?? 0;
    return { connections: connections.value, counted_at, retired_sources, endpoint_failures, ...scalars };
  }

  /** Reads one count after another, so that each statement is short. */
  private async fullCounts(connections: readonly ConnectionCount[]): Promise<ConnectionCount[]> {
    const counted: ConnectionCount[] = [];
    for (const { provider, status, count } of connections) {
      const full =
        count < MAX_COUNTED_TOGETHER
          ? null
          : await this.reader.row<{ count: number }>(this.connectionsOfKind, [provider, status]);
      counted.push({ provider, status, count: full?.count ?? count });
    }
    return counted;
  }
}

function declared<Name extends string>(statements: Readonly<Partial<Record<Name, string>>>, name: Name): string {
  const sql = statements[name];
  if (sql === undefined) throw new TypeError(`no room declares ${name}`);
  return sql;
}
