import { hash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';

/** True for the template of a route about one person, of the framework or of the API document: its reads are tagged. */
export function isTagged(route: string): boolean {
  return /^\/v1\/(?:me|accounts\/(?::account_id|\{account_id\}))(?:\/|$)/.test(route);
}

/** Ages grow constantly and do not count as a change. */
const ages = /"age_seconds":\d+/g;

/**
 * Adds an entity tag to reads of one person, and returns 304 without a body if the caller has this version. Only the
 * caller may cache them, and must revalidate each time.
 */
export function registerEntityTags(fastify: FastifyInstance): void {
  fastify.addHook('onSend', (request, reply, payload, done) => {
    const isRead = request.method === 'GET' && reply.statusCode === 200 && !reply.hasHeader('etag');
    if (!isRead || typeof payload !== 'string' || !isTagged(request.routeOptions.url ?? '')) {
      return done(null, payload);
    }
    const digest = hash('sha256', payload.replaceAll(ages, ''), 'base64url');
    const tag = `W/"${digest.slice(0, 27)}"`;
    void reply.header('etag', tag).header('cache-control', 'private, no-cache');
    if (!namesTag(request.headers['if-none-match'], tag)) return done(null, payload);
    void reply.code(304).removeHeader('content-type');
    done(null, null);
  });
}

/** Weak comparison, because caches may return a tag without its `W/`. */
function namesTag(header: string | undefined, tag: string): boolean {
  const opaque = (text: string): string => text.trim().replace(/^W\//, '');
  return header !== undefined && header.split(',').some((each) => opaque(each) === opaque(tag) || each.trim() === '*');
}
