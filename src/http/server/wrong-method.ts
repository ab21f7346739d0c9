import type { FastifyInstance } from 'fastify';
import { AppError } from '../../platform/platform/errors.js';

interface Served {
  readonly url: string;
  readonly methods: Set<string>;
  /** Compiled at the first wrong method, so that a start does not wait for hundreds. */
  pattern?: RegExp;
}

/** Returns 405 with `Allow` for a path that exists only with other methods. */
export function registerWrongMethod(fastify: FastifyInstance): void {
  const served = new Map<string, Served>();
  fastify.addHook('onRoute', ({ url, method }) => {
    if (url.includes('*')) return;
    const route = served.get(url) ?? { url, methods: new Set<string>() };
    for (const name of [method].flat()) route.methods.add(name);
    served.set(url, route);
  });
  fastify.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done();
    const allowed = allowedBy([...served.values()], request.url);
    if (allowed.length === 0) return done();
    void reply.header('allow', allowed.join(', '));
    done(new AppError('method_not_allowed', `This path supports ${allowed.join(', ')}.`));
  });
}

function allowedBy(served: readonly Served[], url: string): string[] {
  const [path = ''] = url.split('?');
  const methods = served.flatMap((route) => {
    route.pattern ??= patternOf(route.url);
    return route.pattern.test(path) ? [...route.methods] : [];
  });
  return [...new Set(methods)].sort();
}

/** A `:name` matches one non-empty segment, as in the router. */
function patternOf(url: string): RegExp {
  const segments = url.split('/').map((segment) => {
    return segment.startsWith(':') ? '[^/]+' : segment.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  });
  return new RegExp(`^${segments.join('/')}$`);
}
