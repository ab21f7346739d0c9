import { OnceFor } from '../../platform/platform/once-for.js';
import { columnTypes, type SqlValue, valuesList } from './dialect.js';
import type { BulkShape, GivenQuery, NumberedShape, RowShape } from './tx.js';

function onConflict(shape: BulkShape): string {
  const key = shape.conflict.join(', ');
  if (shape.update.length === 0) return `ON CONFLICT (${key}) DO NOTHING`;
  const set = shape.update.map((name) => `${name} = excluded.${name}`).join(', ');
  return `ON CONFLICT (${key}) DO UPDATE SET ${set}${shape.when ? ` WHERE ${shape.when}` : ''}`;
}

function tail(shape: BulkShape): string {
  return `${onConflict(shape)}${shape.returning ? ` RETURNING ${shape.returning.join(', ')}` : ''}`;
}

function head({ table, columns }: RowShape): string {
  return `INSERT INTO ${table} (${namesOf(columns)})`;
}

function values({ columns }: RowShape, rows: number): string {
  return `VALUES ${valuesList(columns.length, rows)}`;
}

function namesOf(columns: BulkShape['columns']): string {
  return columns.map(({ name }) => name).join(', ');
}

/** Caches statement texts by shape and number of rows; by shape only if one text serves any number. */
function madeOnce<Shape extends object>(
  make: (shape: Shape, rows: number) => string,
): (shape: Shape, rows?: number) => string {
  const made = new OnceFor<Shape, string[]>();
  return (shape, rows = 0) => (made.get(shape, () => [])[rows] ??= make(shape, rows));
}

export const sqliteBulkText = madeOnce((shape: BulkShape, rows) => {
  return `${head(shape)} ${values(shape, rows)} ${tail(shape)}`;
});

/** One statement for any number of rows; each column is passed as an array. */
export const postgresBulkText = madeOnce((shape: BulkShape) => {
  return `${head(shape)} SELECT * FROM ${unnested(shape)} ${tail(shape)}`;
});

export const sqliteInsertText = madeOnce((shape: RowShape & { readonly conflict?: string }) => {
  const skip = shape.conflict === undefined ? '' : ` ON CONFLICT (${shape.conflict}) DO NOTHING`;
  return `${head(shape)} ${values(shape, 1)}${skip}`;
});

/** Columns of the values of a numbered row. */
export function columnsOf({ columns, beside }: NumberedShape): RowShape['columns'] {
  return [...columns, ...beside.flatMap((other) => other.columns.slice(1))];
}

/**
 * One statement for any number of rows in all their tables. Inserts in the order of the unique column, so that two
 * processes with the same rows do not deadlock.
 */
export const postgresNumberedText = madeOnce((shape: NumberedShape) => {
  const { table, number, conflict, beside } = shape;
  const columns = columnsOf(shape);
  const given = `given (${number}, ${namesOf(columns)}) AS MATERIALIZED (
    SELECT nextval(pg_get_serial_sequence('${table}', '${number}')), each.* FROM ${unnested({ columns })} AS each)`;
  const others = beside.map((other) => {
    const names = namesOf(other.columns.slice(1));
    return `, ${other.table}_beside AS (${head(other)} SELECT ${number}, ${names} FROM given JOIN made USING (${number}))`;
  });
  const names = `${number}, ${namesOf(shape.columns)}`;
  const made = `made AS (INSERT INTO ${table} (${names}) SELECT ${names} FROM given ORDER BY ${conflict}, ${number}
    ON CONFLICT (${conflict}) DO NOTHING RETURNING ${number})`;
  return `WITH ${given}, ${made}${others.join('')} SELECT COUNT(*) AS inserted FROM made`;
});

export const sqliteGivenText = madeOnce((query: GivenQuery, rows) => {
  return `${given(query)} (VALUES ${valuesList(query.columns.length, rows)}) ${query.sql}`;
});

/** The query for any number of given rows; each column is passed as an array. */
export const postgresGivenText = madeOnce((query: GivenQuery) => {
  return `${given(query)} (SELECT * FROM ${unnested(query)}) ${query.sql}`;
});

function given({ columns }: GivenQuery): string {
  return `WITH given (${namesOf(columns)}) AS`;
}

function unnested({ columns }: Pick<BulkShape, 'columns'>): string {
  const types = columnTypes.postgres;
  return `UNNEST(${columns.map((column, index) => `$${index + 1}::${types[column.type]}[]`).join(', ')})`;
}

/**
 * The values by column: numbers as array literals, bytes in PostgreSQL's binary form. The driver would build such
 * arrays more slowly and send bytes as hexadecimal digits.
 */
export function toColumns(
  shape: Pick<BulkShape, 'columns'>,
  values: readonly SqlValue[],
): (string | Buffer | SqlValue[])[] {
  const width = shape.columns.length;
  return shape.columns.map((column, offset) => {
    const list: SqlValue[] = [];
    for (let at = offset; at < values.length; at += width) list.push(values[at] ?? null);
    if (column.type === 'text') return list;
    if (column.type === 'bytes') return binaryArray(list as (Buffer | null)[]);
    return `{${list.map((value) => (value === null ? 'NULL' : String(value))).join(',')}}`;
  });
}

const BYTEA_OID = 17;

/**
 * A one-dimensional array from index 1: five 32-bit numbers, then each value after its length, which is -1 for NULL.
 */
function binaryArray(list: readonly (Buffer | null)[]): Buffer {
  const bytes = list.reduce((sum, value) => sum + 4 + (value?.length ?? 0), 0);
  const array = Buffer.allocUnsafe(20 + bytes);
  const hasNull = list.includes(null) ? 1 : 0;
  [1, hasNull, BYTEA_OID, list.length, 1].forEach((number, index) => array.writeInt32BE(number, index * 4));
  let at = 20;
  for (const value of list) {
    at = array.writeInt32BE(value?.length ?? -1, at);
    at += value?.copy(array, at) ?? 0;
  }
  return array;
}
