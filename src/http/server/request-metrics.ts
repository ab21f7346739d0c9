import type { FastifyInstance } from 'fastify';
import type { Metrics } from '../../platform/platform/metrics.js';

/** A request for a route that does not exist has no template, and its address may hold anything. */
const unmatched = 'unmatched';

/** Counts and times every response by method, route template and status. */
export function registerRequestMetrics(fastify: FastifyInstance, metrics: Metrics): void {
  const requests = metrics.counter('http_requests_total', 'Requests answered', ['method', 'route', 'status']);
  const durations = metrics.histogram(
    'http_request_duration_seconds',
    'From the head of a request to the end of its answer',
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
