import type { PipeTransform, Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validate } from 'class-validator';
import { AppError } from '../../platform/platform/errors.js';
import { bodyTooLarge } from './body-room.js';
import { invalidRequest } from './validation.js';

export type OpenFields = Readonly<Record<string, unknown>>;

/**
 * For a body defined by another service: `@Body(new OpenBody(Shape, bytes)) body: OpenFields`. Validates the fields
 * that `Shape` declares, accepts others, and returns the object unchanged. Declare the parameter as `OpenFields`,
 * because with a class the global validation would refuse unknown fields.
 */
export class OpenBody implements PipeTransform<unknown, Promise<OpenFields>> {
  constructor(
    private readonly shape: Type<object>,
    private readonly maxBytes: number,
  ) {}

  /** Throws `invalid_request`, or `payload_too_large` for a body with more than `maxBytes` of JSON. */
  async transform(value: unknown): Promise<OpenFields> {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new AppError('invalid_request', 'The body must be a JSON object.');
    }
    if (Buffer.byteLength(JSON.stringify(value)) > this.maxBytes) throw bodyTooLarge(this.maxBytes);
    const errors = await validate(plainToInstance(this.shape, value), {
      forbidUnknownValues: true,
      stopAtFirstError: true,
      validationError: { target: false, value: false },
    });
    if (errors.length > 0) throw invalidRequest(errors);
    return value as OpenFields;
  }
}
