import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';

/** Ends the stream of a response to HEAD unread. Fastify would read it to its end, even after the caller has left. */
export function registerHeadStreams(fastify: FastifyInstance): void {
  fastify.addHook('onSend', (request, _reply, payload, done) => {
    if (request.method !== 'HEAD' || !(payload instanceof Readable)) return done(null, payload);
    payload.destroy();
    done(null, Readable.from([]));
  });
}
