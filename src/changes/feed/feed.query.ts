import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn, IsString, MaxLength } from 'class-validator';
import { OptionalField } from '../../http/server/openapi.js';
import { IsLine, IsText, ToInt, ToNames } from '../../http/server/validation.js';
import { type ChangeKind, changeKinds } from '../../platform/config/feed-scope.js';

/** The longest wait of one request, in seconds. */
const MAX_WAIT_SECONDS = 30;

const orders = ['oldest', 'newest'] as const;

class ScopedQuery {
  @OptionalField({ description: 'Only changes of this account.', example: 'customer-4711' })
  @IsLine()
  account_id?: string;
}

export class ChangesQuery extends ScopedQuery {
  @OptionalField({
    description:
      'Cursor to continue after: `next` of the previous page, the `position` of a snapshot, or the `cursor` of a ' +
      'change. Default: start with the oldest change that is kept.',
  })
  @IsString()
  @MaxLength(64)
  after?: string;

  @OptionalField({
    enum: orders,
    default: 'oldest',
    description:
      'newest: backwards from `after` (default: the end), for people who look at the feed; `up_to_date` is then true ' +
      'at the oldest change that is kept. Consumers follow it from the oldest on.',
  })
  @IsIn(orders)
  order?: (typeof orders)[number];

  @OptionalField({ type: 'integer', minimum: 1, maximum: 500, default: 100 })
  @ToInt({ min: 1, max: 500 })
  limit: number = 100;

  @OptionalField({
    type: 'integer',
    minimum: 0,
    maximum: MAX_WAIT_SECONDS,
    default: 0,
    description: 'Seconds to wait for a change if there is none yet.',
  })
  @ToInt({ min: 0, max: MAX_WAIT_SECONDS })
  wait: number = 0;

  @OptionalField({
    enum: changeKinds,
    isArray: true,
    description: 'Only these kinds, separated by commas.',
    example: ['samples', 'summary'],
  })
  @ToNames()
  @IsArray()
  @IsIn(changeKinds, { each: true, message: 'kinds must be a comma-separated list of kinds of changes' })
  kinds?: ChangeKind[];
}

export class SnapshotRequest extends ScopedQuery {
  @OptionalField({
    enum: changeKinds,
    isArray: true,
    description: 'Only these kinds; default all that the key may read.',
    example: ['account', 'summary'],
  })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(changeKinds.length)
  @IsIn(changeKinds, { each: true })
  kinds?: ChangeKind[];
}

export class ConsumerPath {
  @ApiProperty({ pattern: '^[a-z0-9._-]{1,64}$', example: 'billing' })
  @IsText(/^[a-z0-9._-]{1,64}$/, '1 to 64 of the characters a-z, 0-9, ., _ and -')
  name: string;
}

export class ConsumerPositionRequest {
  @ApiProperty({ description: 'Cursor up to which all changes are processed.' })
  @IsString()
  @MaxLength(64)
  cursor: string;
}
