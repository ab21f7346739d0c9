import type { SqlValue } from './dialect.js';
import { columnTypes } from './dialect.js';
import type { BulkShape, GivenQuery } from './tx.js';

/** Rows per statement on SQLite; more does not get faster (docs/decisions/0003-sqlite-and-the-write-lane.md). */
export const ROWS_PER_STATEMENT = 100;

function onConflict(shape: BulkShape): string {
  const key = shape.conflict.join(', ');
  if (shape.update.length === 0) return `ON CONFLICT (${key}) DO NOTHING`;
  const set = shape.update.map((name) => `${name} = excluded.${name}`).join(', ');
  return `ON CONFLICT (${key}) DO UPDATE SET ${set}${shape.when ? ` WHERE ${shape.when}` : ''}`;
}

function tail(shape: BulkShape, returning = shape.returning): string {
  return `${onConflict(shape)}${returning ? ` RETURNING ${returning.join(', ')}` : ''}`;
}

function head(shape: BulkShape): string {
  return `INSERT INTO ${shape.table} (${shape.columns.map((column) => column.name).join(', ')})`;
}

const sqliteTexts = new WeakMap<BulkShape, string[]>();

/** The multi-row VALUES statement for `rows` rows; the text is made once per shape and size. */
export function sqliteBulkText(shape: BulkShape, rows: number): string {
  let texts = sqliteTexts.get(shape);
  if (!texts) sqliteTexts.set(shape, (texts = []));
  const known = texts[rows];
  if (known) return known;
  const row = `(${shape.columns.map(() => '?').join(', ')})`;
  const text = `${head(shape)} VALUES ${Array.from({ length: rows }, () => row).join(', ')} ${tail(shape)}`;
  texts[rows] = text;
  return text;
}

const postgresTexts = new WeakMap<BulkShape, string>();

/** One statement for any number of rows: each column arrives as an array. */
export function postgresBulkText(shape: BulkShape): string {
  const known = postgresTexts.get(shape);
  if (known) return known;
  const returning = shape.number === undefined ? shape.returning : [shape.number, ...shape.conflict];
  const text = `${head(shape)} SELECT * FROM ${unnested(shape)} ${tail(shape, returning)}`;
  postgresTexts.set(shape, text);
  return text;
}

const sqliteGivenTexts = new WeakMap<GivenQuery, string[]>();

/** The query with `rows` rows given. */
export function sqliteGivenText(query: GivenQuery, rows: number): string {
  let texts = sqliteGivenTexts.get(query);
  if (!texts) sqliteGivenTexts.set(query, (texts = []));
  const known = texts[rows];
  if (known) return known;
  const row = `(${query.columns.map(() => '?').join(', ')})`;
  const text = `${given(query)} (VALUES ${Array.from({ length: rows }, () => row).join(', ')}) ${query.sql}`;
  texts[rows] = text;
  return text;
}

const postgresGivenTexts = new WeakMap<GivenQuery, string>();

export function postgresGivenText(query: GivenQuery): string {
  const known = postgresGivenTexts.get(query);
  if (known) return known;
  const text = `${given(query)} (SELECT * FROM ${unnested(query)}) ${query.sql}`;
  postgresGivenTexts.set(query, text);
  return text;
}

function given({ columns }: GivenQuery): string {
  return `WITH given (${columns.map(({ name }) => name).join(', ')}) AS`;
}

function unnested({ columns }: Pick<BulkShape, 'columns'>): string {
  const types = columnTypes.postgres;
  return `UNNEST(${columns.map((column, index) => `$${index + 1}::${types[column.type]}[]`).join(', ')})`;
}

/** The same values by column; number columns as array literals, which the driver would build more slowly. */
export function toColumns(shape: Pick<BulkShape, 'columns'>, values: readonly SqlValue[]): (string | SqlValue[])[] {
  const width = shape.columns.length;
  return shape.columns.map((column, offset) => {
    const list: SqlValue[] = [];
    for (let at = offset; at < values.length; at += width) list.push(values[at] ?? null);
    if (column.type === 'text' || column.type === 'bytes') return list;
    return `{${list.map((value) => (value === null ? 'NULL' : String(value))).join(',')}}`;
  });
}
