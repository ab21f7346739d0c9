import type { FastifyRequest } from 'fastify';
import { AppError } from '../platform/errors.js';

const bearerPattern = /^Bearer ([A-Za-z0-9._~+/-]+=*)$/i;

/** The credentials of `Authorization: Bearer ...`; throws `unauthorized` when there are none in that form. */
export function bearerOf(request: Pick<FastifyRequest, 'headers'>): string {
  const credentials = bearerPattern.exec(request.headers.authorization ?? '')?.[1];
  if (credentials === undefined) throw new AppError('unauthorized', 'The request has no usable bearer credentials.');
  return credentials;
}
