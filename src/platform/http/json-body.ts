import type { FastifyInstance } from 'fastify';

/** JSON is the only body there is. An empty one counts as none: many clients name the type whether they send a body or not. */
export function registerJsonBody(fastify: FastifyInstance): void {
  const parse = fastify.getDefaultJsonParser('error', 'error');
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined);
    else void parse(request, body as string, done);
  });
}
