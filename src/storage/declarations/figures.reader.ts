import { Injectable } from '@nestjs/common';
import { HOUR_MS } from '../../platform/platform/time.js';
import { Reader } from '../database/reader.js';
import { type CountFigure, countFigures, Declarations, type InstantFigure, instantFigures } from './declarations.js';

export interface StatusCount {
  readonly status: string;
  readonly count: number;
}

export interface ConnectionCount extends StatusCount {
  readonly provider: string;
}

type Scalars = Readonly<Record<CountFigure, number> & Record<InstantFigure, number | null>>;

export interface StoreFigures extends Scalars {
  readonly accounts: readonly StatusCount[];
  readonly connections: readonly ConnectionCount[];
}

/** Rows of a queue that wait after a failure. */
export interface WaitingCount {
  readonly kind: string;
  readonly error: string;
  readonly count: number;
}

/** Failures that cannot be undone raise an alarm for this many days, and then only count in the totals. */
export const latelyDays = 7;

/** Times named in declared statements, in epoch milliseconds. */
const bounds = {
  lately: (now: number) => now - latelyDays * 24 * HOUR_MS,
  day: (now: number) => now - 24 * HOUR_MS,
  now: (now: number) => now,
} as const;
type Bound = keyof typeof bounds;

const boundPattern = /:(lately|day|now)\b/g;

/** Reads the figures that rooms declare: all scalars with one statement, each group with its own. */
@Injectable()
export class FiguresReader {
  readonly sql: { readonly accounts: string; readonly connections: string; readonly scalars: string };
  private readonly waitingSql: readonly (readonly [string, string])[];
  private readonly bounds: readonly Bound[];

  /** Throws `TypeError` if no room declares a figure. */
  constructor(
    private readonly reader: Reader,
    { figures, groups, waiting }: Declarations,
  ) {
    this.waitingSql = Object.entries(waiting);
    const scalars = [...countFigures, ...instantFigures]
      .map((name) => `(${declared(figures, name)}) AS ${name}`)
      .join(',\n');
    this.bounds = Array.from(scalars.matchAll(boundPattern), ([, name]) => name as Bound);
    this.sql = {
      accounts: declared(groups, 'accounts'),
      connections: declared(groups, 'connections'),
      scalars: `SELECT ${scalars.replace(boundPattern, '?')}`,
    };
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
    const [accounts, connections, [scalars]] = await Promise.all([
      this.reader.rows<StatusCount>(this.sql.accounts),
      this.reader.rows<ConnectionCount>(this.sql.connections),
      this.reader.rows<Scalars>(
        this.sql.scalars,
        this.bounds.map((name) => bounds[name](now)),
      ),
    ]);
    if (!scalars) throw new TypeError('a select without a table answered no row');
    return { accounts, connections, ...scalars };
  }
}

function declared<Name extends string>(statements: Readonly<Partial<Record<Name, string>>>, name: Name): string {
  const sql = statements[name];
  if (sql === undefined) throw new TypeError(`no room declares ${name}`);
  return sql;
}
