import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, MaxLength } from 'class-validator';
import { ToInt } from './validation.js';

export const defaultPageLimit = 100;
const maxPageLimit = 500;

/** Query of every list; lists with filters extend it. */
export class PageQuery {
  @ApiPropertyOptional({ description: 'next_cursor of the previous page.' })
  @IsOptional()
  @IsString()
  @MaxLength(2_048)
  cursor?: string;

  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: maxPageLimit, default: defaultPageLimit })
  @IsOptional()
  @ToInt({ min: 1, max: maxPageLimit })
  limit: number = defaultPageLimit;
}
