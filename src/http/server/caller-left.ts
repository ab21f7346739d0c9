import type { ServerResponse } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AppError } from '../../platform/platform/errors.js';

const signals = new WeakMap<ServerResponse, AbortSignal>();

/** Aborts with `caller_left` once nobody waits for this answer any more. */
export function leftSignal(response: ServerResponse): AbortSignal {
  const known = signals.get(response);
  if (known) return known;
  const left = new AbortController();
  const leave = (): void => left.abort(new AppError('caller_left', 'The caller has left.'));
  if (response.closed) leave();
  else response.once('close', leave);
  signals.set(response, left.signal);
  return left.signal;
}

/** Parameter of a route: aborts when its caller has left, for work that is done for that caller alone. */
export const CallerLeft = createParamDecorator((_: unknown, context: ExecutionContext) =>
  leftSignal(context.switchToHttp().getResponse<FastifyReply>().raw),
);
