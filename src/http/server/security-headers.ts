import helmet from '@fastify/helmet';
import type { FastifyInstance } from 'fastify';

const self = ["'self'"];

/** What says nothing of anybody and may be kept. */
const keepable = /^\/(?:docs|openapi\.json)(?:$|[/?])/;

/**
 * Headers that keep a browser from doing anything with an answer but show it, and everybody from keeping one, errors
 * included. The form at `/docs` is the one page there
 * is: its scripts are its own, and it styles itself in place. A route can leave them out with `helmet: false`.
 */
export async function registerSecurityHeaders(fastify: FastifyInstance): Promise<void> {
  fastify.addHook('onRequest', (request, reply, done) => {
    if (!keepable.test(request.url)) void reply.header('cache-control', 'no-store');
    done();
  });
  await fastify.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: self,
        styleSrc: [...self, "'unsafe-inline'"],
        imgSrc: [...self, 'data:'],
        fontSrc: self,
        connectSrc: self,
        baseUri: ["'none'"],
        formAction: ["'none'"],
        frameAncestors: ["'none'"],
      },
    },
    referrerPolicy: { policy: 'no-referrer' },
    xFrameOptions: { action: 'deny' },
  });
}
