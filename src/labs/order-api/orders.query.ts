import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { Length, Matches } from 'class-validator';
import { IsAccountId } from '../../http/server/account-path.js';
import { OptionalField } from '../../http/server/openapi.js';
import { PageQuery } from '../../http/server/page-query.js';
import { IsSlug, IsText, ToBool } from '../../http/server/validation.js';
import { uuidPattern } from '../../platform/platform/ids.js';
import { type Need, needs } from '../orders/redraw-chain.js';
import { type ResultTrouble, resultTroubles } from '../orders/result-subject.js';

function LowerCase(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.toLowerCase() : value), {
    toClassOnly: true,
  });
}

/** A UUID from upstream; compared in lower case. */
export function UpstreamId(field: PropertyDecorator = ApiProperty({ format: 'uuid' })): PropertyDecorator {
  return applyDecorators(field, LowerCase(), Matches(uuidPattern, { message: '$property must be a uuid' }));
}

/** An id from upstream that need not be a UUID; compared in lower case. */
export function UpstreamKey(what: string): PropertyDecorator {
  const rule = Matches(/^[a-z0-9_.:-]{1,255}$/, { message: `$property must be the id of ${what}` });
  return applyDecorators(ApiProperty({ minLength: 1, maxLength: 255 }), LowerCase(), rule);
}

export class OrderPath {
  @UpstreamId() order_id: string;
}

export class TransactionPath {
  @UpstreamId() id: string;
}

export class OrderListQuery extends PageQuery {
  @OptionalField({ type: String, minLength: 1, maxLength: 255 })
  @IsAccountId()
  account_id?: string;

  @UpstreamId(OptionalField({ format: 'uuid' })) order_transaction_id?: string;

  @OptionalField({ description: 'initial, redraw or recreation; upstream may add values.' })
  @IsSlug()
  origin?: string;

  @OptionalField({ description: 'Full status or a part of it, e.g. redraw_available or collecting_sample.' })
  @IsText(/^[a-z0-9_-]+(\.[a-z0-9_-]+){0,2}$/, 'a status or a part of one, e.g. redraw_available')
  @Length(1, 128)
  status?: string;

  @OptionalField({ type: 'boolean', description: 'Only orders with (true) or without (false) a critical result.' })
  @ToBool()
  critical?: boolean;

  @OptionalField({
    type: 'boolean',
    description:
      'false: only orders with a critical result of which the patient was not informed. true: only orders whose ' +
      'patient was informed of every critical result.',
  })
  @ToBool()
  notified?: boolean;

  @OptionalField({ type: 'boolean', deprecated: true, description: 'Earlier name of notified.' })
  @ToBool()
  told?: boolean;

  @OptionalField({
    enum: resultTroubles,
    description:
      'given_up: a result that upstream announced could not be fetched. withdrawn: upstream withdrew a version of ' +
      'the result. Results of a whole transaction count for each of its orders.',
  })
  result?: ResultTrouble;
}

export class TransactionListQuery extends PageQuery {
  @OptionalField({ description: 'active, completed or cancelled; upstream may add values.' })
  @IsSlug()
  status?: string;

  @OptionalField({
    enum: needs,
    description:
      'Action needed. redraw: inform the patient of a second draw. replace: order again, because the sample or kit came ' +
      'to nothing. unblock: give the lab the information it waits for. release: the order is on hold.',
  })
  needs?: Need;

  @OptionalField({
    type: 'boolean',
    description: 'Only those with (true) or without (false) a record that the patient was informed.',
  })
  @ToBool()
  notified?: boolean;

  @OptionalField({ type: 'boolean', deprecated: true, description: 'Earlier name of notified.' })
  @ToBool()
  told?: boolean;
}

export class OrderPairBody {
  @ApiProperty({ minLength: 1, maxLength: 255 })
  @IsAccountId()
  account_id: string;

  @UpstreamId() order_id: string;

  @UpstreamId(OptionalField({ format: 'uuid', description: 'Read from upstream if omitted.' }))
  order_transaction_id?: string;
}
