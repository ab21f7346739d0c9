import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import { factsOf } from './route-facts.js';

/** Paths of the app, for a preflight and an unknown path, which have no route. */
const appPaths = /^\/v1\/(?!accounts\/|(?:changes|snapshots|consumers)(?:\/|$))/;

/** Lets pages of these origins call the app's routes, without cookies. Browsers cannot call other routes. */
export function allowOrigins(app: NestFastifyApplication, origins: readonly string[]): void {
  if (origins.length === 0) return;
  const options = {
    methods: ['GET', 'POST', 'PATCH', 'DELETE'],
    allowedHeaders: [
      'accept',
      'authorization',
      'content-type',
      'x-request-id',
      'traceparent',
      'if-none-match',
      'idempotency-key',
    ],
    exposedHeaders: ['x-request-id', 'etag', 'retry-after', 'ratelimit', 'ratelimit-policy', 'www-authenticate'],
    maxAge: 600,
  };
  app.enableCors({
    delegator: async (request: FastifyRequest) => ({
      ...options,
      origin: isOfApp(request) ? [...origins] : false,
    }),
  });
}

function isOfApp(request: FastifyRequest): boolean {
  if (!request.is404 && request.method !== 'OPTIONS') return factsOf(request).caller === 'account';
  try {
    // As the router does.
    return appPaths.test(decodeURIComponent(request.url.split(/[?#]/, 1)[0] ?? ''));
  } catch {
    return false;
  }
}
