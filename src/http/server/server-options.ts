import { createServer, type RequestListener, type Server } from 'node:http';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, FastifyServerOptions } from 'fastify';
import { AppError } from '../../platform/platform/errors.js';
import { trusting } from './caller-address.js';
import { toProblem } from './problem.filter.js';
import { requestIdHeader } from './request-id.js';

/** An account id of 255 characters, each of up to four bytes, each byte as `%XX`. */
const MAX_PARAMETER_LENGTH = 255 * 4 * 3;

/** Of a connection between two requests: longer than the minute of most load balancers, so that they end it. */
const KEPT_MS = 72_000;

/** What a caller gets of our patience. Bytes and milliseconds; the webhook route has a body limit of its own. */
export interface ServerLimits {
  /** All headers together. */
  readonly headerBytes: number;
  readonly bodyBytes: number;
  /** For a caller to have sent its headers, and its whole request. */
  readonly headersMs: number;
  readonly requestMs: number;
  /** Of silence on a connection, while it waits for our answer or does not read it. */
  readonly silenceMs: number;
}

export const serverLimits: ServerLimits = {
  headerBytes: 16_384,
  bodyBytes: 262_144,
  headersMs: 10_000,
  requestMs: 30_000,
  silenceMs: 180_000,
};

function frameworkErrors(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const { status, headers, body } = toProblem(error, request.id);
  void reply
    .code(status)
    .headers({ ...headers, [requestIdHeader]: request.id })
    .send(body);
}

/**
 * For the Fastify adapter of every server of ours: addresses that cannot be routed never reach a hook or filter, and a
 * caller that sends or reads too slowly is cut off. `X-Forwarded-*` is believed of `trustedProxies` only.
 */
export function serverOptions(trustedProxies: readonly string[], limits = serverLimits): FastifyServerOptions<Server> {
  return {
    frameworkErrors,
    routerOptions: { maxParamLength: MAX_PARAMETER_LENGTH },
    trustProxy: trustedProxies.length > 0 ? trusting(trustedProxies) : false,
    bodyLimit: limits.bodyBytes,
    serverFactory: (handler) => serverOf(handler, limits),
  };
}

function serverOf(listener: RequestListener, limits: ServerLimits): Server {
  const options = {
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: KEPT_MS,
    connectionsCheckingInterval: Math.min(limits.headersMs, 5_000),
  };
  return createServer(options, listener).setTimeout(limits.silenceMs);
}

/** Refuses addresses with a zero byte: PostgreSQL has no text that holds one, so it could only fail over such an id. */
export function registerStorableAddress(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    const refused = request.url.includes('%00');
    done(refused ? new AppError('invalid_request', 'The address holds a zero byte.') : undefined);
  });
}

const probes: ReadonlySet<string> = new Set(['/livez', '/readyz', '/metrics']);

/** A process that only works in the background answers its probes and nothing else. */
export function onlyProbes(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    const known = probes.has(request.routeOptions.url ?? '');
    done(known ? undefined : new AppError('not_found', 'This process runs background work; it serves probes only.'));
  });
}
