import type { FastifyRequest } from 'fastify';

/** True for a request of the change feed that asks for server-sent events instead of a page. */
export function isEventStream({ headers, routeOptions }: Pick<FastifyRequest, 'headers' | 'routeOptions'>): boolean {
  return routeOptions.url === '/v1/changes' && (headers.accept ?? '').toLowerCase().includes('text/event-stream');
}
