import { placeholders, type SqlValue } from '../database/dialect.js';
import type { Reader } from '../database/reader.js';
import { MAX_COPIED_BYTES_A_PAGE, MAX_COPIED_ROWS_A_PAGE } from '../database/tuning.js';
import type { CopiedTable } from './copied-tables.js';

/** Values of a row, in column order. */
export type Row = readonly SqlValue[];

/** Rows of a table in key order, from the start or after a key, in pages of limited size. */
export async function* pagesOf(
  reader: Reader,
  table: CopiedTable,
  after: readonly SqlValue[] | null = null,
): AsyncGenerator<Row[]> {
  const names = table.columns.map(({ name }) => name).join(', ');
  for (let last = after; ; ) {
    const from = fromAfter(table, last);
    const limit = await rowsThatFit(reader, table, from);
    const found = await reader.few<Record<string, SqlValue>>(`SELECT ${names} ${from.sql}`, [...from.values, limit]);
    const rows = found.map((row): Row => Object.values(row));
    const end = rows.at(-1);
    if (end === undefined) return;
    yield rows;
    if (rows.length < limit) return;
    last = keyOf(table, end);
  }
}

export function keyOf({ key, columns }: CopiedTable, row: Row): SqlValue[] {
  return key.map((name) => row[columns.findIndex((column) => column.name === name)] ?? null);
}

interface From {
  /** A FROM clause; its limit is the last of its values. */
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

function fromAfter({ table, key }: CopiedTable, last: readonly SqlValue[] | null): From {
  const names = key.join(', ');
  const where = last === null ? '' : `WHERE (${names}) > (${placeholders(key.length)}) `;
  return { sql: `FROM ${table} ${where}ORDER BY ${names} LIMIT ?`, values: last ?? [] };
}

async function rowsThatFit(reader: Reader, { columns }: CopiedTable, { sql, values }: From): Promise<number> {
  const lengths = columns
    .filter(({ type }) => type === 'text' || type === 'bytes')
    .map(({ name }) => `COALESCE(octet_length(${name}), 0)`);
  if (lengths.length === 0) return MAX_COPIED_ROWS_A_PAGE;
  const page = await reader.row<{ bytes: number; longest: number }>(
    `SELECT COALESCE(SUM(bytes), 0) AS bytes, COALESCE(MAX(bytes), 0) AS longest
     FROM (SELECT ${lengths.join(' + ')} AS bytes ${sql}) AS page`,
    [...values, MAX_COPIED_ROWS_A_PAGE],
  );
  const { bytes, longest } = page ?? { bytes: 0, longest: 0 };
  return Number(bytes) <= MAX_COPIED_BYTES_A_PAGE
    ? MAX_COPIED_ROWS_A_PAGE
    : Math.max(1, Math.floor(MAX_COPIED_BYTES_A_PAGE / longest));
}
