import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';

/**
 * Lets pages of these origins call the app's routes, given by their templates, without cookies. Browsers cannot call
 * other routes.
 */
export function allowOrigins(
  app: NestFastifyApplication,
  origins: readonly string[],
  isOfApp: (route: string) => boolean,
): void {
  if (origins.length === 0) return;
  const options = {
    methods: ['GET', 'POST', 'PATCH', 'DELETE'],
    allowedHeaders: [
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
      origin: isOfApp(routeOf(request)) ? [...origins] : false,
    }),
  });
}

/** Template of the route. A preflight and an unknown path have none: the path, decoded as the router does. */
function routeOf({ is404, method, routeOptions, url }: FastifyRequest): string {
  if (!is404 && method !== 'OPTIONS') return routeOptions.url ?? '';
  try {
    return decodeURIComponent(url.split(/[?#]/, 1)[0] ?? '');
  } catch {
    return '';
  }
}
