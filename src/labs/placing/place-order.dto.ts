import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsInt,
  IsObject,
  IsString,
  IsUUID,
  Length,
  Matches,
  MaxLength,
  ValidateBy,
  ValidateNested,
} from 'class-validator';
import { OptionalField } from '../../http/server/openapi.js';
import { IsCalendarDate } from '../../http/server/validation.js';

/*
 * Validates an order (docs/upstream/orders.md#place-an-order). Refuses what upstream is known to refuse, with clearer
 * messages. Unknown values of upstream's lists and unknown fields are allowed.
 */

/** Far more than any valid order needs. */
export const MAX_ORDER_BYTES = 65_536;
const MAX_ITEMS = 200;

const namePattern = /^([a-zA-Z0-9]{1})([a-zA-Z0-9-.,']*(\s[a-zA-Z0-9-.,']+)*[a-zA-Z0-9-.,']?)$/;
const uuid = { type: 'string', format: 'uuid' } as const;

function IsPersonName(): PropertyDecorator {
  return ValidateBy({
    name: 'isPersonName',
    validator: {
      validate: (value) => typeof value === 'string' && value.length <= 50 && namePattern.test(value),
      defaultMessage: () =>
        "$property must be 1 to 50 unaccented letters, digits and - . , ' in words separated by single spaces",
    },
  });
}

function IsPart(shape: () => new () => object): PropertyDecorator {
  return (target, property) => {
    IsObject({ message: '$property must be an object' })(target, property);
    ValidateNested()(target, property);
    Type(shape)(target, property);
  };
}

export class PatientDetailsBody {
  @ApiProperty({ minLength: 1, maxLength: 50, example: 'Ada' }) @IsPersonName() first_name: string;
  @ApiProperty({ minLength: 1, maxLength: 50, example: 'Sample' }) @IsPersonName() last_name: string;
  @ApiProperty({ format: 'date', example: '1980-02-03' }) @IsCalendarDate() dob: string;

  @ApiProperty({ description: 'female, male, other, unknown.', example: 'female' })
  @IsString()
  @Length(1, 64)
  gender: string;

  @ApiProperty({ example: '+10000000000' }) @IsString() @Length(1, 64) phone_number: string;
  @ApiProperty({ example: 'ada@example.com' }) @IsString() @Length(1, 320) email: string;
}

export class PatientAddressBody {
  @ApiProperty({ example: '1 Street' }) @IsString() @Length(1, 255) first_line: string;
  @ApiProperty({ example: 'New York' }) @IsString() @Length(1, 255) city: string;
  @ApiProperty({ example: 'NY' }) @IsString() @Length(1, 64) state: string;

  @ApiProperty({ pattern: '^\\d{5}(-\\d{4})?$', example: '10001' })
  @Matches(/^\d{5}(-\d{4})?$/, { message: '$property must be a zip code such as 10001 or 10001-1234' })
  zip: string;

  @ApiProperty({ example: 'US' }) @IsString() @Length(1, 64) country: string;

  @OptionalField({ type: String, nullable: true, maxLength: 1000 })
  @IsString()
  @MaxLength(1000)
  access_notes?: string | null;
}

export class OrderAddOnBody {
  @OptionalField({ type: [Number], nullable: true })
  @IsArray()
  @ArrayMaxSize(MAX_ITEMS)
  @IsInt({ each: true })
  marker_ids?: number[] | null;

  @OptionalField({ type: [String], nullable: true, description: 'Not together with marker_ids.' })
  @IsArray()
  @ArrayMaxSize(MAX_ITEMS)
  @IsString({ each: true })
  provider_ids?: string[] | null;
}

export class OrderSetBody {
  @OptionalField({ type: 'array', items: uuid, nullable: true })
  @IsArray()
  @ArrayMaxSize(MAX_ITEMS)
  @IsUUID('all', { each: true })
  lab_test_ids?: string[] | null;

  @OptionalField({ type: OrderAddOnBody, nullable: true, description: 'Requires collection_method.' })
  @IsPart(() => OrderAddOnBody)
  add_on?: OrderAddOnBody | null;
}

/** Upstream's body, in which the customer's account id may replace `user_id`. */
export class PlaceOrderBody {
  @OptionalField({
    type: String,
    nullable: true,
    description: 'Use either account_id or user_id.',
    example: 'customer-42',
  })
  @IsString()
  @Length(1, 255)
  account_id?: string | null;

  @OptionalField({ ...uuid, nullable: true, description: 'Upstream user id of an account.' })
  @IsUUID('all')
  user_id?: string | null;

  @ApiProperty({ type: PatientDetailsBody }) @IsPart(() => PatientDetailsBody) patient_details: PatientDetailsBody;
  @ApiProperty({ type: PatientAddressBody }) @IsPart(() => PatientAddressBody) patient_address: PatientAddressBody;

  @OptionalField({ type: OrderSetBody, nullable: true, description: 'Use either order_set or lab_test_id.' })
  @IsPart(() => OrderSetBody)
  order_set?: OrderSetBody | null;

  @OptionalField({ ...uuid, nullable: true, deprecated: true })
  @IsUUID('all')
  lab_test_id?: string | null;

  @OptionalField({
    type: String,
    nullable: true,
    description: 'testkit, walk_in_test, at_home_phlebotomy, on_site_collection.',
  })
  @IsString()
  @Length(1, 64)
  collection_method?: string | null;

  @OptionalField({ type: 'array', items: { type: 'object' }, nullable: true })
  @IsArray()
  @ArrayMaxSize(MAX_ITEMS)
  @IsObject({ each: true })
  consents?: object[] | null;

  @OptionalField({ type: 'object', additionalProperties: true, nullable: true })
  @IsObject({ message: '$property must be an object' })
  physician?: object | null;

  @OptionalField({ type: String, format: 'date', nullable: true, description: 'A future date schedules the order.' })
  @IsCalendarDate()
  activate_by?: string | null;

  @OptionalField() @IsBoolean() priority?: boolean;

  @OptionalField({ type: [String], nullable: true })
  @IsArray()
  @ArrayMaxSize(MAX_ITEMS)
  @IsString({ each: true })
  icd_codes?: string[] | null;

  @OptionalField({ type: 'array', items: { type: 'object' }, nullable: true })
  @IsArray()
  @ArrayMaxSize(MAX_ITEMS)
  @IsObject({ each: true })
  aoe_answers?: object[] | null;

  @OptionalField({
    type: String,
    nullable: true,
    description:
      'Attached to the order, which is found by it after a lost response: give every order its own. If omitted, ' +
      'Pulsekeep generates one.',
  })
  @IsString()
  @MaxLength(1000)
  passthrough?: string | null;
}
