import type { FastifyError, FastifyReply, FastifyRequest, FastifyServerOptions } from 'fastify';
import { toProblem } from './problem.filter.js';
import { requestIdHeader } from './request-id.js';

/** An account id of 255 characters, each of up to four bytes, each byte as `%XX`. */
const LONGEST_PARAMETER = 255 * 4 * 3;

function frameworkErrors(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const { status, headers, body } = toProblem(error, request.id);
  void reply
    .code(status)
    .headers({ ...headers, [requestIdHeader]: request.id })
    .send(body);
}

/** For the Fastify adapter of every server of ours: addresses that cannot be routed never reach a hook or filter. */
export const serverOptions = {
  frameworkErrors,
  routerOptions: { maxParamLength: LONGEST_PARAMETER },
} satisfies FastifyServerOptions;
