import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Trace, traceOf, withinTrace } from '../../platform/platform/trace.js';

const traces = new WeakMap<FastifyRequest, Trace>();

/**
 * From here on, whatever a request sets off belongs to the trace its `traceparent` names: log lines and calls to
 * upstream. A request that names none begins none. Entered a second time after the body was read, which is done in the
 * context of the connection.
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
