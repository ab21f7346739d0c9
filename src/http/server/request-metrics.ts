import type { FastifyInstance } from 'fastify';
import type { Metrics } from '../../platform/platform/metrics.js';

/** A request without a route has no template, and its path could contain anything. */
const unmatched = 'unmatched';

/** Counts and times every response by method, route template and status. */
export function registerRequestMetrics(fastify: FastifyInstance, metrics: Metrics): void {
  const requests = metrics.counter('http_requests_total', 'Responses sent', ['method', 'route', 'status']);
  const durations = metrics.histogram(
    'http_request_duration_seconds',
    'Time from receiving the request headers to the end of the response',
    ['method', 'route'],
  );
  fastify.addHook('onResponse', (request, reply, done) => {
    const { method, routeOptions } = request;
    const route = routeOptions.url ?? unmatched;
    requests.inc({ method, route, status: String(reply.statusCode) });
    durations.observe({ method, route }, reply.elapsedTime / 1_000);
    done();
  });
}
