import type { FastifyInstance } from 'fastify';
import type { Metrics } from '../platform/metrics.js';

/** What was asked of a route that there is not has no template, and its address may hold anything. */
const unmatched = 'unmatched';

/** Counts and times every answer by method, route template and status. */
export class RequestMetrics {
  private readonly requests;
  private readonly durations;

  constructor(metrics: Metrics) {
    this.requests = metrics.counter('http_requests_total', 'Requests answered', ['method', 'route', 'status']);
    this.durations = metrics.histogram(
      'http_request_duration_seconds',
      'From the head of a request to the end of its answer',
      ['method', 'route'],
    );
  }

  answered({ method, route, status }: { method: string; route: string; status: number }, seconds: number): void {
    this.requests.inc({ method, route, status: String(status) });
    this.durations.observe({ method, route }, seconds);
  }
}

/** Counts the answers of Fastify's routes. */
export function registerRequestMetrics(fastify: FastifyInstance, metrics: RequestMetrics): void {
  fastify.addHook('onResponse', (request, reply, done) => {
    const { method, routeOptions } = request;
    const route = routeOptions.url ?? unmatched;
    metrics.answered({ method, route, status: reply.statusCode }, reply.elapsedTime / 1_000);
    done();
  });
}
