import { AppError } from './errors.js';

type Shape = readonly ('string' | 'number')[];
export type CursorValues<S extends Shape> = {
  -readonly [I in keyof S]: S[I] extends 'number' ? number : S[I] extends 'string' ? string : string | number;
};

/** One page of a list; `next_cursor` is null on the last one. */
export interface Page<T> {
  data: T[];
  next_cursor: string | null;
}

const MAX_LENGTH = 2_048;

/** The position after a row: the values of its sort key. Opaque to callers, but neither secret nor signed. */
export function encodeCursor(values: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(values), 'utf8').toString('base64url');
}

/** Decodes a cursor made by `encodeCursor`. Throws `invalid_request` for the field `cursor` otherwise. */
export function decodeCursor<const S extends Shape>(text: string, shape: S): CursorValues<S> {
  const values = parse(text);
  const fits = values?.length === shape.length && shape.every((type, index) => isOf(type, values[index]));
  if (!fits || encodeCursor(values as (string | number)[]) !== text) throw invalidCursor();
  return values as CursorValues<S>;
}

function parse(text: string): unknown[] | undefined {
  if (text.length > MAX_LENGTH || !/^[A-Za-z0-9_-]+$/.test(text)) return undefined;
  try {
    const parsed: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    return Array.isArray(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** Keyset values are our ids, times and names: integers, and texts that both databases accept. */
function isOf(type: Shape[number], value: unknown): boolean {
  if (type === 'number') return Number.isSafeInteger(value);
  return typeof value === 'string' && !value.includes('\0');
}

/** For a cursor whose values have the right types but match no entry of the list. */
export function invalidCursor(): AppError {
  return new AppError('invalid_request', 'The cursor does not belong to this list.', {
    fields: [{ field: 'cursor', message: 'cursor must be the next_cursor of a page of this list' }],
  });
}

/**
 * A page from the rows of a query with `limit + 1`: the extra row is not shown and means that there is a next page.
 * `keyOf` returns a row's sort key, which `decodeCursor` returns later.
 */
export function pageOf<T>(rows: readonly T[], limit: number, keyOf: (row: T) => readonly (string | number)[]): Page<T> {
  const data = rows.slice(0, limit);
  const last = data.at(-1);
  const next = rows.length > limit && last !== undefined ? encodeCursor(keyOf(last)) : null;
  return { data, next_cursor: next };
}

/** For lists that always fit one page. */
export function onePage<T>(data: T[]): Page<T> {
  return { data, next_cursor: null };
}

/** Maps the rows of a page. */
export function mapPage<T, U>(page: Page<T>, map: (row: T) => U): Page<U> {
  return { data: page.data.map(map), next_cursor: page.next_cursor };
}
