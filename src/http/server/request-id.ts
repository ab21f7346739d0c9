import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { newId } from '../../platform/platform/ids.js';

export const requestIdHeader = 'x-request-id';
/** Excludes anything that looks like an address, a token or a key. */
const acceptable = /^(?!(?:[ps]k|whsec)_)[A-Za-z0-9_-]{1,64}$/;

/** The client's id if it is safe to return and log, else a new one. */
function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers[requestIdHeader];
  return typeof given === 'string' && acceptable.test(given) ? given : newId();
}

/** Sets `request.id`; every response of this server returns it, errors included. */
export function registerRequestId(fastify: FastifyInstance): void {
  fastify.setGenReqId(requestIdOf);
  fastify.addHook('onRequest', (request, reply, done) => {
    void reply.header(requestIdHeader, request.id);
    done();
  });
}
