import type { FastifyInstance } from 'fastify';
import type { Metrics } from '../platform/metrics.js';

/** What was asked of a route that there is not has no template, and its address may hold anything. */
const unmatched = 'unmatched';

/** Counts and times every answer by method, route template and status. */
export function registerRequestMetrics(fastify: FastifyInstance, metrics: Metrics): void {
  const labels = ['method', 'route', 'status'] as const;
  const requests = metrics.counter('http_requests_total', 'Requests answered', labels);
  const durations = metrics.histogram(
    'http_request_duration_seconds',
    'From the head of a request to the end of its answer',
    ['method', 'route'],
  );
  fastify.addHook('onResponse', (request, reply, done) => {
    const { method } = request;
    const route = request.routeOptions.url ?? unmatched;
    requests.inc({ method, route, status: String(reply.statusCode) });
    durations.observe({ method, route }, reply.elapsedTime / 1_000);
    done();
  });
}
