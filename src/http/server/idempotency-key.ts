import { createHmac, hash } from 'node:crypto';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../platform/platform/errors.js';

const header = 'idempotency-key';
/** A repeated header arrives as one text with a comma and a space, which does not match. */
const keyPattern = /^[\x21-\x7e]{1,255}$/;

/** Throws `idempotency_key_required`, or `invalid_request` for a malformed key. */
export function idempotencyKeyOf(headers: FastifyRequest['headers']): string {
  const given = headers[header];
  if (given === undefined || given === '') {
    throw new AppError('idempotency_key_required', 'The header Idempotency-Key is required; use a new uuid.');
  }
  if (typeof given === 'string' && keyPattern.test(given)) return given;
  const message = 'Idempotency-Key must be 1 to 255 visible ASCII characters';
  throw new AppError('invalid_request', 'The idempotency key is not valid.', { fields: [{ field: header, message }] });
}

/** Route parameter: the required header `Idempotency-Key`. */
export const IdempotencyKey = createParamDecorator((_: unknown, context: ExecutionContext) =>
  idempotencyKeyOf(context.switchToHttp().getRequest<FastifyRequest>().headers),
);

/** Documents the header. */
export function ApiIdempotencyKey(description: string): MethodDecorator {
  return ApiHeader({
    name: 'Idempotency-Key',
    required: true,
    description,
    schema: { type: 'string', minLength: 1, maxLength: 255, example: '5f0a1f0e-9d1c-4c39-8c39-0f4f5f6f7a8b' },
  });
}

/*
 * A caller's idempotency key is never stored, only its digest. The fingerprint of a body is keyed with the idempotency
 * key and salted with the row's own id. So someone who has only the table cannot test guesses of a body, although
 * names, dates of birth and addresses are few enough to try them all. This holds as long as the key cannot be guessed.
 */

/** The key was used before with a different request. */
export function keyReused(what: 'body' | 'request'): AppError {
  return new AppError('idempotency_key_reused', `This idempotency key was used with another ${what}: use a new key.`);
}

/** Another call with this key, or for the same object, may be in progress. */
export function callInProgress(
  code: 'booking_in_progress' | 'conflict' | 'placement_in_progress',
  what: string,
  cause?: unknown,
): AppError {
  return new AppError(code, `${what}: repeat the request in a moment.`, { cause, retryAfterSeconds: 5 });
}

export function digestOf(idempotencyKey: string): string {
  return hash('sha256', idempotencyKey);
}

/** Equal for equal JSON, regardless of the order of its fields. */
export function fingerprintOf(body: unknown, secret: { idempotencyKey: string; salt: string }): string {
  const key = createHmac('sha256', secret.idempotencyKey).update(secret.salt).digest();
  return createHmac('sha256', key).update(canonical(body)).digest('hex');
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, inner]) => `${JSON.stringify(name)}:${canonical(inner)}`).join(',')}}`;
}
