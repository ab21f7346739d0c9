import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, MaxLength } from 'class-validator';
import { encodeCursor } from '../platform/cursor.js';
import { ToInt } from './validation.js';

export const defaultPageLimit = 100;
export const maxPageLimit = 500;

/** One page of a list; `next_cursor` is null on the last one. */
export interface Page<T> {
  data: T[];
  next_cursor: string | null;
}

/** The query every list takes; lists with filters extend it. */
export class PageQuery {
  @ApiPropertyOptional({ description: 'The next_cursor of the page before.' })
  @IsOptional()
  @IsString()
  @MaxLength(2_048)
  cursor?: string;

  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: maxPageLimit, default: defaultPageLimit })
  @IsOptional()
  @ToInt({ min: 1, max: maxPageLimit })
  limit: number = defaultPageLimit;
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

/** The same page with every row in another shape. */
export function mapPage<T, U>(page: Page<T>, map: (row: T) => U): Page<U> {
  return { data: page.data.map(map), next_cursor: page.next_cursor };
}
