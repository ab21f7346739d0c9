import { AppError } from '../../platform/platform/errors.js';

/**
 * The two databases that Pulsekeep runs on. Everything that differs between them is in this folder and in
 * `migrations/`.
 */
export type Dialect = 'sqlite' | 'postgres';

/** Types of columns: integers (ids, epoch milliseconds), numbers, text, bytes. */
export type ColumnKind = 'int' | 'real' | 'text' | 'bytes';

export type SqlValue = number | string | Buffer | null;

/** Values that callers may pass; `undefined` is stored as NULL, booleans as 0 or 1. */
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

/** Values of a one-column subquery as a JSON array. `query` follows the selected expression: `FROM ...`. */
export function packed(dialect: Dialect, values: readonly string[], query: string): string {
  const pack = dialect === 'sqlite' ? 'json_array' : 'json_build_array';
  return `CAST((SELECT ${pack}(${values.join(', ')}) ${query}) AS text)`;
}

/** `?, ?, ?` for a list of `count` values. */
export function placeholders(count: number): string {
  return Array.from({ length: count }, () => '?').join(', ');
}

/** `(?, ?), (?, ?)` for `rows` rows of `width` values. */
export function valuesList(width: number, rows: number): string {
  const row = `(${placeholders(width)})`;
  return Array.from({ length: rows }, () => row).join(', ');
}

/** Like `valuesList`, with types in the first row, which apply to all rows. */
export function typedRows(types: readonly string[], rows: number): string {
  const first = `(${types.map((type) => `CAST(? AS ${type})`).join(', ')})`;
  return rows === 1 ? first : `${first}, ${valuesList(types.length, rows - 1)}`;
}

/**
 * The power of two to which a list of `length` is padded, so that lists of any length need few statement texts, which
 * stay prepared.
 */
export function preparedLength(length: number): number {
  return 2 ** Math.ceil(Math.log2(length));
}

/** The list padded to its prepared length with its last entry. An IN with it finds the same rows. */
export function filledUp<T>(list: readonly T[]): readonly T[] {
  const missing = preparedLength(list.length) - list.length;
  return [...list, ...Array.from({ length: missing }, () => list.at(-1) as T)];
}

/** The end, exclusive, of the range of texts that begin with this one, which must not be empty. */
export function afterAllWith(text: string): string {
  return `${text.slice(0, -1)}${String.fromCodePoint((text.codePointAt(text.length - 1) ?? 0) + 1)}`;
}

/** Converts portable `?` placeholders to PostgreSQL's `$1, $2, ...`. The SQL must contain no literal question mark. */
export function numberPlaceholders(sql: string): string {
  let index = 0;
  return sql.replace(/\?/g, () => `$${++index}`);
}

/** The columns and values of an INSERT of one row: `(a, b) VALUES (?, ?)`; for names see `assignments`. */
export function insertion(row: Readonly<Record<string, SqlInput>>): { readonly row: string; values: SqlInput[] } {
  const names = Object.keys(row);
  return { row: `(${names.join(', ')}) VALUES (${placeholders(names.length)})`, values: Object.values(row) };
}

/**
 * The SET clause of an UPDATE, `SET a = ?, b = ?`; its values come first among the statement's. Column names become
 * part of the statement, so `change` must never come from outside the program.
 */
export function assignments(change: Readonly<Record<string, SqlInput>>): { readonly set: string; values: SqlInput[] } {
  const names = Object.keys(change);
  return { set: `SET ${names.map((name) => `${name} = ?`).join(', ')}`, values: Object.values(change) };
}

/** The five-character SQLSTATE of a driver error, or SQLite's or Node's code, even if TypeORM wrapped the error. */
export function driverCode(error: unknown): string | null {
  const code =
    (error as { driverError?: { code?: unknown } } | null)?.driverError?.code ??
    (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : null;
}

/**
 * Connection failures, lack of space or memory, a server that is shutting down or read-only, a failing disk (SQLSTATE
 * classes 08, 53, 57P, 58, and 25006), timeouts (57014, 55P03, 25P03), a right that the role has lost (42501), damaged
 * data (XX001, XX002), a SQLite file that cannot be opened, read or written, a reader thread that cannot start because
 * the process has no file handles left, and Node's network errors.
 */
const awayCodes =
  /^(08...|53...|57P..|58...|25006|57014|55P03|25P03|42501|XX00[12]|SQLITE_(FULL|IOERR|CANTOPEN|READONLY|BUSY|LOCKED|NOMEM|CORRUPT|NOTADB|PROTOCOL)\w*|ERR_WORKER_INIT_FAILED|E[A-Z]+)$/;
/** Messages of the drivers and TypeORM about a closed connection, which have no code. */
const awayWords =
  /^(Connection terminated|Client has encountered a connection error|timeout exceeded|Query runner already released|The database connection is not open)/;

/** Another connection holds a lock of the SQLite file. */
export function isLocked(error: unknown): boolean {
  return driverCode(error)?.startsWith('SQLITE_BUSY') === true;
}

/** Table whose primary key already has the value that PostgreSQL refused (23505); null for any other error. */
export function tableOfTakenKey(error: unknown): string | null {
  const { driverError = error } = (error ?? {}) as { driverError?: unknown };
  const { code, constraint, table } = (driverError ?? {}) as Partial<Record<'code' | 'constraint' | 'table', string>>;
  return code === '23505' && table !== undefined && constraint === `${table}_pkey` ? table : null;
}

/** The database's disk is full or failing. */
export function isOutOfRoom(error: unknown): boolean {
  return /^(SQLITE_FULL|SQLITE_IOERR\w*|53100|58030)$/.test(driverCode(error) ?? '');
}

/**
 * Converts an error that means that the database is unavailable into `storage_unavailable`; returns any other error
 * unchanged.
 */
export function storeFailure(error: unknown): unknown {
  const code = driverCode(error);
  const message = error instanceof Error ? error.message : '';
  const isAway = code === null ? awayWords.test(message) : awayCodes.test(code);
  return isAway ? storageUnavailable(error) : error;
}

export function storageUnavailable(cause: unknown): AppError {
  return new AppError('storage_unavailable', 'The database is unavailable.', { cause, retryAfterSeconds: 5 });
}
