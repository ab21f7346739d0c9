import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { traceOf, withinTrace } from '../../platform/platform/trace.js';
import { beginSpan, type OpenSpan } from '../../platform/platform/traces.js';

/** Spans of requests that are not answered yet. */
const open = new WeakMap<FastifyRequest, OpenSpan>();
/** They come often, and what they do is in other spans. */
const withoutSpan: ReadonlySet<string> = new Set(['/webhooks', '/livez', '/readyz', '/metrics']);

/**
 * Runs each request in the trace of its `traceparent`, so that log lines and calls to upstream carry it. A request
 * without one starts no trace unless traces are collected, and then it has a span. Entered again after the body was
 * read, because later hooks run in the connection's context.
 */
export function registerTrace(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', begin);
  fastify.addHook('preValidation', enter);
  fastify.addHook('onResponse', end);
}

function begin(request: FastifyRequest, reply: unknown, done: () => void): void {
  enter(request, reply, () => {
    const route = request.routeOptions.url;
    if (route === undefined || withoutSpan.has(route)) return done();
    const span = beginSpan('http.request', { method: request.method, route });
    if (span === null) return done();
    open.set(request, span);
    withinTrace(span.trace, done);
  });
}

function enter(request: FastifyRequest, _reply: unknown, done: () => void): void {
  const trace = open.get(request)?.trace ?? traceOf(request.headers['traceparent']);
  if (trace === null) done();
  else withinTrace(trace, done);
}

function end(request: FastifyRequest, { statusCode: status }: FastifyReply, done: () => void): void {
  const span = open.get(request);
  span?.set({ status });
  span?.end();
  done();
}
