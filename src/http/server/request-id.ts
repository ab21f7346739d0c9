import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { newId } from '../../platform/platform/ids.js';

export const requestIdHeader = 'x-request-id';
/** Neither an address nor a token nor a key of ours or upstream's has this form. */
const acceptable = /^(?!(?:[ps]k|whsec)_)[A-Za-z0-9_-]{1,64}$/;

/** The caller's own id if it is short and plain enough to be repeated and logged, else a new one. */
export function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers[requestIdHeader];
  return typeof given === 'string' && acceptable.test(given) ? given : newId();
}

/** From here on `request.id` is that id, and every answer of this server returns it, errors included. */
export function registerRequestId(fastify: FastifyInstance): void {
  fastify.setGenReqId(requestIdOf);
  fastify.addHook('onRequest', (request, reply, done) => {
    void reply.header(requestIdHeader, request.id);
    done();
  });
}
