import type { Server } from 'node:http';
import type { FastifyInstance } from 'fastify';

const SWEEP_INTERVAL_MS = 50;

/**
 * Lets a server that is being closed come to its end: a connection is cut as soon as it has nothing in hand, and every
 * one after `deadlineMs`. Left to itself a server waits for connections that were busy when it began to close and are
 * kept alive since, or never send the rest of a request. Call what it answers once the server is closed.
 */
export function drain(server: Server, deadlineMs: number): () => void {
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_INTERVAL_MS).unref();
  const cut = setTimeout(() => server.closeAllConnections(), deadlineMs).unref();
  return () => {
    clearInterval(sweep);
    clearTimeout(cut);
  };
}

/** From the moment the process stops, each answer ends its connection: the caller opens the next one elsewhere. */
export function endKeptConnections(fastify: FastifyInstance, isStopping: () => boolean): void {
  fastify.addHook('onRequest', (_request, reply, done) => {
    if (isStopping()) reply.header('connection', 'close');
    done();
  });
}
