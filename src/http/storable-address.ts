import type { FastifyInstance } from 'fastify';
import { AppError } from '../platform/errors.js';

/** Refuses addresses with a zero byte: PostgreSQL has no text that holds one, so it could only fail over such an id. */
export function registerStorableAddress(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    const refused = request.url.includes('%00');
    done(refused ? new AppError('invalid_request', 'The address holds a zero byte.') : undefined);
  });
}
