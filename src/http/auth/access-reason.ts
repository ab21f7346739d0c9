import type { FastifyRequest } from 'fastify';
import { AppError } from '../../platform/platform/errors.js';

export const accessReasonHeader = 'x-access-reason';
/** Stored for years with the access log entry, so it is short and safe for everyone who may read the log. */
export const accessReasonPattern = /^[\x21-\x7e](?:[\x20-\x7e]{0,198}[\x21-\x7e])?$/;

/**
 * Reason for a read or change; undefined if none is given. Throws `invalid_request`, whose message does not contain it.
 */
export function accessReasonOf(headers: FastifyRequest['headers']): string | undefined {
  const given = headers[accessReasonHeader];
  if (given === undefined || given === '') return undefined;
  if (typeof given === 'string' && accessReasonPattern.test(given)) return given;
  const message = `${accessReasonHeader} must be 1 to 200 printable ASCII characters`;
  throw new AppError('invalid_request', 'The reason is invalid.', {
    fields: [{ field: accessReasonHeader, message }],
  });
}

export function reasonRequired(): AppError {
  return new AppError(
    'access_reason_required',
    `The header ${accessReasonHeader} must state a reason, e.g. a ticket number.`,
  );
}
