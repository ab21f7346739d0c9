import { createServer, type RequestListener, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, FastifyServerOptions } from 'fastify';
import { AppError } from '../../platform/platform/errors.js';
import { newId } from '../../platform/platform/ids.js';
import { trusting } from './caller-address.js';
import { oneAtATime } from './one-at-a-time.js';
import { type Problem, toProblem } from './problem.filter.js';
import { requestIdHeader } from './request-id.js';

/** An account id of 255 characters of up to four bytes each, with every byte as `%XX`. */
const MAX_PARAMETER_LENGTH = 255 * 4 * 3;

/** Limits per connection, in bytes and milliseconds. The webhook route has its own body limit. */
export interface ServerLimits {
  /** Total size of all headers. */
  readonly headerBytes: number;
  readonly bodyBytes: number;
  /** Time limits for receiving the headers and the complete request. */
  readonly headersMs: number;
  readonly requestMs: number;
  /** Maximum time without any byte while a request is handled or its response is not read. */
  readonly silenceMs: number;
  /** Idle time of a connection between two requests; must exceed that of a load balancer in front. */
  readonly keptMs: number;
}

export const serverLimits: ServerLimits = {
  headerBytes: 16_384,
  bodyBytes: 262_144,
  headersMs: 10_000,
  requestMs: 30_000,
  silenceMs: 180_000,
  keptMs: 620_000,
};

function frameworkErrors(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const { status, headers, body } = toProblem(error, request.id);
  void reply
    .code(status)
    .headers({ ...headers, [requestIdHeader]: request.id })
    .send(body);
}

/** Responds to bytes that never became a request, unless the connection is already transmitting a response. */
function clientErrorHandler({ code }: NodeJS.ErrnoException, socket: Socket): void {
  const { _httpMessage: response } = socket as Socket & { _httpMessage?: ServerResponse | null };
  if (socket.writable && !response?.headersSent) {
    const { status, headers, body } = unreadable(code);
    const text = JSON.stringify(body);
    const sent = { ...headers, [requestIdHeader]: body.request_id, 'cache-control': 'no-store', connection: 'close' };
    const lines = Object.entries({ ...sent, 'content-length': Buffer.byteLength(text) }).map((line) => line.join(': '));
    socket.write([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', text].join('\r\n'));
  }
  socket.destroy();
}

function unreadable(code: string | undefined): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') return toProblem(new AppError('headers_too_large', ''), newId());
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return toProblem(new AppError('request_timeout', ''), newId());
  return toProblem(new AppError('invalid_request', 'The request is not valid HTTP/1.1.'), newId());
}

/**
 * Options of the Fastify adapter. URLs that cannot be routed never reach a hook or filter, and a client that sends or
 * reads too slowly is disconnected. Trusts `X-Forwarded-*` only from `trustedProxies`.
 */
export function serverOptions(trustedProxies: readonly string[], limits = serverLimits): FastifyServerOptions<Server> {
  return {
    frameworkErrors,
    clientErrorHandler,
    rewriteUrl: ({ url = '' }) => originFormOf(url),
    routerOptions: { maxParamLength: MAX_PARAMETER_LENGTH },
    trustProxy: trustedProxies.length > 0 ? trusting(trustedProxies) : false,
    bodyLimit: limits.bodyBytes,
    serverFactory: (handler) => serverOf(handler, limits),
  };
}

/** Clients may send `GET http://host/path` instead of `GET /path` (RFC 9112, section 3.2.2). */
function originFormOf(target: string): string {
  if (target.startsWith('/')) return target;
  const path = target.replace(/^https?:\/\/[^/?#]*/i, '');
  return path.startsWith('/') || path === target ? path : `/${path}`;
}

function serverOf(listener: RequestListener, limits: ServerLimits): Server {
  const options = {
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keptMs,
    connectionsCheckingInterval: Math.min(limits.headersMs, 5_000),
  };
  return createServer(options, oneAtATime(listener)).setTimeout(limits.silenceMs);
}

/**
 * Refuses URLs with a zero byte, because PostgreSQL cannot store one in a text, so a query for such an id would fail.
 */
export function registerStorableAddress(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    const refused = request.url.includes('%00');
    done(refused ? new AppError('invalid_request', 'The URL contains a zero byte.') : undefined);
  });
}

const probes: ReadonlySet<string> = new Set(['/livez', '/readyz', '/metrics']);

/** For a process that runs only background work: serves its probes and nothing else. */
export function onlyProbes(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    const known = probes.has(request.routeOptions.url ?? '');
    done(known ? undefined : new AppError('not_found', 'This process runs background work and serves only probes.'));
  });
}
