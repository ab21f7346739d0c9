import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { bodyTooLarge } from './body-room.js';
import { nothingHere } from './docs-page.js';
import { bodyLimitOf } from './form-body.js';

/**
 * A client that sends `Expect: 100-continue` waits before it sends its body. Node would respond with 100 immediately;
 * this does so only after the checks that need only headers: credentials, limits, length.
 */
export function registerExpectContinue(fastify: FastifyInstance): void {
  const waiting = new WeakSet<IncomingMessage>();
  fastify.server.on('checkContinue', (request, response) => {
    waiting.add(request);
    fastify.server.emit('request', request, response);
  });
  fastify.addHook('preParsing', (request, reply, _payload, done) => {
    // The body of a request without a matching route is never read.
    if (request.is404) return done(nothingHere());
    if (!waiting.has(request.raw)) return done();
    const most = bodyLimitOf(request);
    if (Number(request.headers['content-length']) > most) return done(bodyTooLarge(most));
    waiting.delete(request.raw);
    reply.raw.writeContinue();
    done();
  });
  fastify.addHook('onSend', (request, reply, payload, done) => {
    // The body may or may not follow, so the start of the next request on this connection is unknown.
    if (waiting.has(request.raw)) void reply.header('connection', 'close');
    done(null, payload);
  });
}
