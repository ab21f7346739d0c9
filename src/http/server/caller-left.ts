import type { IncomingMessage, ServerResponse } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AppError } from '../../platform/platform/errors.js';
import { OnceFor } from '../../platform/platform/once-for.js';
import { whenClosed } from './one-at-a-time.js';

const signals = new OnceFor<ServerResponse, AbortSignal>();

/** Aborts with `caller_left` when the response has closed, so that work only for this client can stop. */
export function leftSignal(request: IncomingMessage, response: ServerResponse): AbortSignal {
  return signals.get(response, () => {
    const left = new AbortController();
    const leave = (): void => left.abort(new AppError('caller_left', 'The client closed the request.'));
    whenClosed(request, response, leave);
    return left.signal;
  });
}

/** Route parameter: aborts when the client has disconnected, so that work only for this client can stop. */
export const CallerLeft = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const { request, raw } = context.switchToHttp().getResponse<FastifyReply>();
  return leftSignal(request.raw, raw);
});
