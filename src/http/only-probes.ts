import type { FastifyInstance } from 'fastify';
import { AppError } from '../platform/errors.js';

const probes: ReadonlySet<string> = new Set(['/livez', '/readyz', '/metrics']);

/** A process that only works in the background answers its probes and nothing else. */
export function onlyProbes(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    const known = probes.has(request.routeOptions.url ?? '');
    done(known ? undefined : new AppError('not_found', 'This process runs background work; it serves probes only.'));
  });
}
