import type { Server } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { DRAIN_SWEEP_MS } from './tuning.js';

/**
 * Helps a closing server to finish: closes each connection when it becomes idle, and all of them after `deadlineMs`.
 * Otherwise `close()` waits for keep-alive connections that were busy when it was called, and for requests that never
 * complete. Call the result once the server has closed.
 */
export function drain(server: Server, deadlineMs: number): () => void {
  const sweep = setInterval(() => server.closeIdleConnections(), DRAIN_SWEEP_MS).unref();
  const cut = setTimeout(() => server.closeAllConnections(), deadlineMs).unref();
  return () => {
    clearInterval(sweep);
    clearTimeout(cut);
  };
}

/** While the process is stopping, every response closes its connection, so that the client reconnects elsewhere. */
export function endKeptConnections(fastify: FastifyInstance, isStopping: () => boolean): void {
  fastify.addHook('onRequest', (_request, reply, done) => {
    if (isStopping()) reply.header('connection', 'close');
    done();
  });
}
