import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Trace } from '../../platform/platform/request-context.js';
import { traceOf, withinTrace } from '../../platform/platform/trace.js';

const traces = new WeakMap<FastifyRequest, Trace>();

/**
 * Runs each request in the trace of its `traceparent`, so that log lines and calls to upstream carry it. A request
 * without one starts no trace. Entered again after the body was read, because later hooks run in the connection's
 * context.
 */
export function registerTrace(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    const trace = traceOf(request.headers['traceparent']);
    if (trace === null) return done();
    traces.set(request, trace);
    withinTrace(trace, done);
  });
  fastify.addHook('preValidation', (request, _reply, done) => {
    const trace = traces.get(request);
    if (trace === undefined) done();
    else withinTrace(trace, done);
  });
}
