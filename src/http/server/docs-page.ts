import type { FastifyInstance } from 'fastify';
import { AppError } from '../../platform/platform/errors.js';

/** Files that `/docs` loads; the library's folder also contains source maps, other builds and notes. */
const needed: ReadonlySet<string> = new Set([
  '/docs',
  '/docs/',
  '/docs/swagger-ui-init.js',
  '/docs/swagger-ui.css',
  '/docs/swagger-ui-bundle.js',
  '/docs/swagger-ui-standalone-preset.js',
  '/docs/favicon-16x16.png',
  '/docs/favicon-32x32.png',
]);

/** The refusal of an address without a route. */
export function nothingHere(): AppError {
  const detail = 'There is nothing at this address. Most routes begin with /v1/ or /admin/v1/; /docs lists them all.';
  return new AppError('not_found', detail);
}

/** Serves `/docs` and the files that it loads, and no other file of that folder. */
export function onlyWhatDocsLoads(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    const [path = ''] = request.url.split('?');
    const isRefused = request.routeOptions.url?.startsWith('/docs') === true && !needed.has(path);
    done(isRefused ? nothingHere() : undefined);
  });
}
