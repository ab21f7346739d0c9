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

/** The position after a row: the values it is ordered by. Opaque to callers, but not secret and not signed. */
export function encodeCursor(values: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(values), 'utf8').toString('base64url');
}

/** Decodes the values of a cursor made here. Anything else throws `invalid_request` on the field `cursor`. */
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

/** For a cursor whose values have the right types and are still none of the list. */
export function invalidCursor(): AppError {
  return new AppError('invalid_request', 'The cursor does not belong to this list.', {
    fields: [{ field: 'cursor', message: 'cursor must be the next_cursor of a page of this list' }],
  });
}

/**
 * A page out of the rows of a query that asked for `limit + 1`: the row too many says that there is a next page and is
 * not shown. `keyOf` gives the values the list is ordered by, which `decodeCursor` hands back.
 */
export function pageOf<T>(rows: readonly T[], limit: number, keyOf: (row: T) => readonly (string | number)[]): Page<T> {
  const data = rows.slice(0, limit);
  const last = data.at(-1);
  const next = rows.length > limit && last !== undefined ? encodeCursor(keyOf(last)) : null;
  return { data, next_cursor: next };
}

/** A list that always fits one page. */
export function onePage<T>(data: T[]): Page<T> {
  return { data, next_cursor: null };
}

/** The same page with every row in another shape. */
export function mapPage<T, U>(page: Page<T>, map: (row: T) => U): Page<U> {
  return { data: page.data.map(map), next_cursor: page.next_cursor };
}
