import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { AppError } from '../../platform/platform/errors.js';
import { bodyTooLarge } from './body-room.js';

/**
 * A caller that sends `Expect: 100-continue` waits before it sends its body. Left to itself Node answers 100 at once;
 * here it comes only after everything that is judged by the head alone: credentials, limits, length. Call after the
 * hooks that judge it.
 */
export function registerExpectContinue(fastify: FastifyInstance): void {
  const waiting = new WeakSet<IncomingMessage>();
  fastify.server.on('checkContinue', (request, response) => {
    waiting.add(request);
    fastify.server.emit('request', request, response);
  });
  fastify.addHook('preParsing', (request, reply, _payload, done) => {
    // The body of a request for nothing is not read, whether somebody waits to send it or not.
    if (request.is404) return done(new AppError('not_found', 'There is nothing at this address.'));
    if (!waiting.has(request.raw)) return done();
    if (Number(request.headers['content-length']) > request.routeOptions.bodyLimit) {
      return done(bodyTooLarge());
    }
    waiting.delete(request.raw);
    reply.raw.writeContinue();
    done();
  });
  fastify.addHook('onSend', (request, reply, payload, done) => {
    // Whether its body still comes is not known, so nothing that follows on the connection could be told apart from it.
    if (waiting.has(request.raw)) void reply.header('connection', 'close');
    done(null, payload);
  });
}
