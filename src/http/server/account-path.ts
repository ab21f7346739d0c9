import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ValidateBy, type ValidationOptions } from 'class-validator';
import { type ExternalAccountId, isExternalAccountId } from '../../platform/platform/ids.js';
import { OptionalField } from './openapi.js';
import { IsLine } from './validation.js';

/** Validates the customer's id of an account in a path or a body. */
export function IsAccountId(options?: ValidationOptions): PropertyDecorator {
  const defaultMessage = (): string =>
    '$property must be 1 to 255 characters without control characters, not "." or ".."';
  return ValidateBy({ name: 'isAccountId', validator: { validate: isExternalAccountId, defaultMessage } }, options);
}

/** Narrows a list to an account. */
export function AccountFilter(): PropertyDecorator {
  return applyDecorators(OptionalField({ minLength: 1, maxLength: 255 }), IsLine());
}

/** The path parameter of every route about one account. */
export class AccountPath {
  @ApiProperty({ type: String, minLength: 1, maxLength: 255 })
  @IsAccountId()
  account_id: ExternalAccountId;
}
