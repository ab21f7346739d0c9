import type { FastifyInstance } from 'fastify';
import type { Counter, Histogram } from 'prom-client';
import type { Metrics, Tally } from '../platform/metrics.js';

/** What was asked of a route that there is not has no template, and its address may hold anything. */
const unmatched = 'unmatched';

/** Counts and times every answer by method, route template and status. */
export class RequestMetrics {
  private readonly requests;
  private readonly durations;
  private readonly routes = new Map<string, Map<string, RouteMetrics>>();

  constructor(private readonly metrics: Metrics) {
    this.requests = metrics.counter('http_requests_total', 'Requests answered', ['method', 'route', 'status']);
    this.durations = metrics.histogram(
      'http_request_duration_seconds',
      'From the head of a request to the end of its answer',
      ['method', 'route'],
    );
  }

  /** `route` is a template. */
  of(method: string, route: string): RouteMetrics {
    const ofMethod = this.routes.get(method) ?? new Map<string, RouteMetrics>();
    const known = ofMethod.get(route);
    if (known) return known;
    const { requests, durations } = this;
    const made = new RouteMetrics(this.metrics, { requests, durations }, { method, route });
    this.routes.set(method, ofMethod.set(route, made));
    return made;
  }
}

interface OfRequests {
  readonly requests: Counter<'method' | 'route' | 'status'>;
  readonly durations: Histogram<'method' | 'route'>;
}

/** The answers of one route. */
export class RouteMetrics {
  private readonly tallies = new Map<number, Tally>();

  constructor(
    private readonly metrics: Metrics,
    private readonly figures: OfRequests,
    private readonly labels: { readonly method: string; readonly route: string },
  ) {}

  answered(status: number, seconds: number): void {
    this.tallyOf(status).count += 1;
    this.figures.durations.observe(this.labels, seconds);
  }

  private tallyOf(status: number): Tally {
    let tally = this.tallies.get(status);
    if (!tally) {
      tally = this.metrics.tally(this.figures.requests, { ...this.labels, status: String(status) });
      this.tallies.set(status, tally);
    }
    return tally;
  }
}

/** Counts the answers of Fastify's routes. */
export function registerRequestMetrics(fastify: FastifyInstance, metrics: RequestMetrics): void {
  fastify.addHook('onResponse', (request, reply, done) => {
    const { method, routeOptions } = request;
    metrics.of(method, routeOptions.url ?? unmatched).answered(reply.statusCode, reply.elapsedTime / 1_000);
    done();
  });
}
