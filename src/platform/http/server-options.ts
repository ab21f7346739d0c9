import type { FastifyError, FastifyReply, FastifyRequest, FastifyServerOptions } from 'fastify';
import { toProblem } from './problem.filter.js';
import { requestIdHeader } from './request-id.js';

function frameworkErrors(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const { status, headers, body } = toProblem(error, request.id);
  void reply
    .code(status)
    .headers({ ...headers, [requestIdHeader]: request.id })
    .send(body);
}

/** For the Fastify adapter of every server of ours: addresses that cannot be routed never reach a hook or filter. */
export const serverOptions = { frameworkErrors } satisfies FastifyServerOptions;
