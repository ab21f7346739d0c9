import { IsString, MaxLength } from 'class-validator';
import { OptionalField } from './openapi.js';
import { ToInt } from './validation.js';

export const defaultPageLimit = 100;
const MAX_PAGE_LIMIT = 500;

/** Query of every list; lists with filters extend it. */
export class PageQuery {
  @OptionalField({ description: 'next_cursor of the previous page.' })
  @IsString()
  @MaxLength(2_048)
  cursor?: string;

  @OptionalField({ type: 'integer', minimum: 1, maximum: MAX_PAGE_LIMIT, default: defaultPageLimit })
  @ToInt({ min: 1, max: MAX_PAGE_LIMIT })
  limit: number = defaultPageLimit;
}
