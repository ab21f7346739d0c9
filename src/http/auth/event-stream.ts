import type { FastifyRequest } from 'fastify';
import { factsOf } from '../server/route-facts.js';

/** True for a request that asks for server-sent events instead of a page, of a route that sends them. */
export function isEventStream(request: Pick<FastifyRequest, 'headers' | 'routeOptions'>): boolean {
  return (
    factsOf(request).streams === true && (request.headers.accept ?? '').toLowerCase().includes('text/event-stream')
  );
}
