import type { IncomingMessage, ServerResponse } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AppError } from '../../platform/platform/errors.js';
import { whenClosed } from './one-at-a-time.js';

const signals = new WeakMap<ServerResponse, AbortSignal>();

/** Aborts with `caller_left` when the response has closed, so that work only for this client can stop. */
export function leftSignal(request: IncomingMessage, response: ServerResponse): AbortSignal {
  const known = signals.get(response);
  if (known) return known;
  const left = new AbortController();
  const leave = (): void => left.abort(new AppError('caller_left', 'The client closed the request.'));
  whenClosed(request, response, leave);
  signals.set(response, left.signal);
  return left.signal;
}

/** Route parameter: aborts when the client has disconnected, so that work only for this client can stop. */
export const CallerLeft = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const { request, raw } = context.switchToHttp().getResponse<FastifyReply>();
  return leftSignal(request.raw, raw);
});
