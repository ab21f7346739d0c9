import type { FastifyInstance, FastifyRequest } from 'fastify';
import { traceOf, withinTrace } from '../../platform/platform/trace.js';

/**
 * Runs each request in the trace of its `traceparent`, so that log lines and calls to upstream carry it. A request
 * without one starts no trace. Entered again after the body was read, because later hooks run in the connection's
 * context.
 */
export function registerTrace(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', enter);
  fastify.addHook('preValidation', enter);
}

function enter({ headers }: FastifyRequest, _reply: unknown, done: () => void): void {
  const trace = traceOf(headers['traceparent']);
  if (trace === null) done();
  else withinTrace(trace, done);
}
