import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { Length, Matches } from 'class-validator';
import { IsAccountId } from '../../http/server/account-path.js';
import { OptionalField } from '../../http/server/openapi.js';
import { PageQuery } from '../../http/server/page-query.js';
import { ToBool } from '../../http/server/validation.js';
import { slugPattern, uuidPattern } from '../../platform/platform/ids.js';
import { type Need, needs } from '../orders/order-reads.service.js';
import { type ResultTrouble, resultTroubles } from '../orders/result-subject.js';

/** Upstream's ids compare in lower case. */
export function LowerCase(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.toLowerCase() : value), {
    toClassOnly: true,
  });
}

export function IsUpstreamId(): PropertyDecorator {
  return Matches(uuidPattern, { message: '$property must be a uuid' });
}

export class OrderPath {
  @ApiProperty({ format: 'uuid' })
  @LowerCase()
  @IsUpstreamId()
  order_id: string;
}

export class TransactionPath {
  @ApiProperty({ format: 'uuid' })
  @LowerCase()
  @IsUpstreamId()
  id: string;
}

export class OrderListQuery extends PageQuery {
  @OptionalField({ type: String, minLength: 1, maxLength: 255 })
  @IsAccountId()
  account_id?: string;

  @OptionalField({ format: 'uuid' })
  @LowerCase()
  @IsUpstreamId()
  order_transaction_id?: string;

  @OptionalField({ description: 'initial, redraw, recreation; more values may follow.' })
  @Matches(slugPattern)
  origin?: string;

  @OptionalField({ description: 'A complete status or a part of it: redraw_available, collecting_sample.' })
  @Matches(/^[a-z0-9_-]+(\.[a-z0-9_-]+){0,2}$/)
  @Length(1, 128)
  status?: string;

  @OptionalField({ type: 'boolean', description: 'True if a lab reports one of its results as critical.' })
  @ToBool()
  critical?: boolean;

  @OptionalField({
    type: 'boolean',
    description:
      'false: orders with a critical result that the patient was not informed of; true: informed of every one.',
  })
  @ToBool()
  told?: boolean;

  @OptionalField({
    enum: resultTroubles,
    description:
      'given_up: a result that upstream announced could not be fetched; withdrawn: upstream withdrew a version of it. ' +
      'Results of the whole transaction count for each of its orders.',
  })
  result?: ResultTrouble;
}

export class TransactionListQuery extends PageQuery {
  @OptionalField({ description: 'active, completed, cancelled; more values may follow.' })
  @Matches(slugPattern)
  status?: string;

  @OptionalField({ enum: needs, description: 'Action needed: redraw = inform the patient of a second draw.' })
  needs?: Need;

  @OptionalField({ type: 'boolean', description: 'True if it is recorded that the patient was informed.' })
  @ToBool()
  told?: boolean;
}

export class OrderPairBody {
  @ApiProperty({ minLength: 1, maxLength: 255 })
  @IsAccountId()
  account_id: string;

  @ApiProperty({ format: 'uuid' })
  @LowerCase()
  @IsUpstreamId()
  order_id: string;

  @OptionalField({ format: 'uuid', description: 'Read from upstream if omitted.' })
  @LowerCase()
  @IsUpstreamId()
  order_transaction_id?: string;
}
