import type { NestFastifyApplication } from '@nestjs/platform-fastify';

interface Asked {
  readonly url?: string | undefined;
}

function isOfApp(url = ''): boolean {
  return url.startsWith('/v1/') && !url.startsWith('/v1/accounts/');
}

/** Lets pages of these origins call the app's routes, without cookies. Browsers cannot call operators' routes. */
export function allowOrigins(app: NestFastifyApplication, origins: readonly string[]): void {
  if (origins.length === 0) return;
  const options = {
    methods: ['GET', 'POST', 'PATCH', 'DELETE'],
    allowedHeaders: ['authorization', 'content-type', 'x-request-id', 'traceparent', 'if-none-match'],
    exposedHeaders: ['x-request-id', 'etag', 'retry-after', 'ratelimit', 'ratelimit-policy'],
    maxAge: 600,
  };
  app.enableCors({
    delegator: async ({ url }: Asked) => ({ ...options, origin: isOfApp(url) ? [...origins] : false }),
  });
}
