/**
 * The two databases Pulsekeep runs on. Everything that differs between them lives in this folder and in `migrations/`.
 */
export type Dialect = 'sqlite' | 'postgres';

/** What a column can hold: whole numbers (ids, epoch milliseconds), numbers, text, bytes. */
export type ColumnKind = 'int' | 'real' | 'text' | 'bytes';

export type SqlValue = number | string | Buffer | null;

/** Values as callers have them; `undefined` is stored as NULL and booleans as 0 or 1. */
export type SqlInput = SqlValue | boolean | undefined;

export const columnTypes: Record<Dialect, Record<ColumnKind, string>> = {
  sqlite: { int: 'integer', real: 'real', text: 'text', bytes: 'blob' },
  postgres: { int: 'bigint', real: 'double precision', text: 'text', bytes: 'bytea' },
};

export function toSqlValue(input: SqlInput): SqlValue {
  if (input === undefined) return null;
  if (typeof input === 'boolean') return input ? 1 : 0;
  return input;
}

/** `?, ?, ?` for a list of `count` values. */
export function placeholders(count: number): string {
  return Array.from({ length: count }, () => '?').join(', ');
}

/** Turns the portable `?` placeholders into PostgreSQL's `$1, $2, ...`. The SQL holds no literal question mark. */
export function numberPlaceholders(sql: string): string {
  let index = 0;
  return sql.replace(/\?/g, () => `$${++index}`);
}

/** The SET of an UPDATE that changes the columns a change names; its values come first among the statement's. */
export interface Assignments {
  /** `SET a = ?, b = ?` */
  readonly set: string;
  readonly values: SqlInput[];
}

/** Column names are put into the statement as they are: `change` must be an object of our own making. */
export function assignments(change: Readonly<Record<string, SqlInput>>): Assignments {
  const names = Object.keys(change);
  return { set: `SET ${names.map((name) => `${name} = ?`).join(', ')}`, values: Object.values(change) };
}
