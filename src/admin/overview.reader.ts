import { Injectable } from '@nestjs/common';
import { Reader } from '../database/reader.js';
import {
  type CountFigure,
  countFigures,
  Declarations,
  type InstantFigure,
  instantFigures,
} from '../declarations/declarations.js';

/** How many rows of one kind are in one state. */
export interface StatusCount {
  readonly status: string;
  readonly count: number;
}

export interface ConnectionCount extends StatusCount {
  readonly provider: string;
}

type Scalars = Readonly<Record<CountFigure, number> & Record<InstantFigure, number | null>>;

/** All figures of the store. `lately` and `since` by the instants that were asked for. */
export interface StoreFigures extends Scalars {
  readonly accounts: readonly StatusCount[];
  readonly connections: readonly ConnectionCount[];
}

/** From when on, and until when, in epoch milliseconds. */
export interface Bounds {
  /** Where "lately" begins. */
  readonly lately: number;
  /** Where the last day begins. */
  readonly day: number;
}

const boundPattern = /:(lately|day)\b/g;

/** Reads the figures that the rooms declare: the scalars with one statement, each group with one of its own. */
@Injectable()
export class OverviewReader {
  /** All that is read for an overview. */
  readonly sql: { readonly accounts: string; readonly connections: string; readonly scalars: string };
  private readonly bounds: readonly (keyof Bounds)[];

  /** Throws `TypeError` when no room declares a figure. */
  constructor(
    private readonly reader: Reader,
    { figures, groups }: Declarations,
  ) {
    const scalars = [...countFigures, ...instantFigures]
      .map((name) => `(${declared(figures, name)}) AS ${name}`)
      .join(',\n');
    this.bounds = Array.from(scalars.matchAll(boundPattern), ([, name]) => name as keyof Bounds);
    this.sql = {
      accounts: declared(groups, 'accounts'),
      connections: declared(groups, 'connections'),
      scalars: `SELECT ${scalars.replace(boundPattern, '?')}`,
    };
  }

  get dialect(): string {
    return this.reader.dialect;
  }

  async read(given: Bounds): Promise<StoreFigures> {
    const [accounts, connections, scalars] = await Promise.all([
      this.reader.rows<StatusCount>(this.sql.accounts),
      this.reader.rows<ConnectionCount>(this.sql.connections),
      this.reader.row<Scalars>(
        this.sql.scalars,
        this.bounds.map((name) => given[name]),
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
