import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import { AppError } from '../../platform/platform/errors.js';
import { isTooDeep } from '../../platform/platform/json-reader.js';

/** Limits recursion over a body; an order, the deepest one, has fewer levels. */
const MAX_DEPTH = 32;
/**
 * To validate a body takes far more time than to read it. No declared object has as many fields as one may have; 1,000
 * noted entries of the access log, the longest body, have 3,000 fields and items.
 */
const MAX_PARTS = { object: 200, body: 4_000 } as const;

/**
 * Accepts only JSON bodies in UTF-8, at most 32 levels deep, with limited numbers of fields and items, without a
 * content encoding, a zero byte, or a field `constructor`, which validation would mistake for the object's class. An
 * empty body counts as missing, however it is framed: some clients always send a content type, and some proxies mark
 * requests without a body as chunked (RFC 9112, section 6).
 */
export function registerJsonBody(fastify: FastifyInstance): void {
  const parse = fastify.getDefaultJsonParser('error', 'error');
  fastify.removeAllContentTypeParsers();
  fastify.addHook('preParsing', (request, reply, _payload, done) => {
    const encoding = request.headers['content-encoding'] ?? 'identity';
    if (request.is404 || encoding.toLowerCase() === 'identity') return done();
    void reply.header('accept-encoding', 'identity');
    done(new AppError('unsupported_media_type', 'The body must not have a content encoding.'));
  });
  fastify.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    // Replacement characters would make different ids equal.
    if (!isUtf8(bytes as Buffer)) return done(new AppError('invalid_request', 'The body must be UTF-8.'));
    const body = bytes.toString();
    if (body === '') done(null, undefined);
    else if (isTooDeep(bytes as Buffer, MAX_DEPTH))
      done(new AppError('invalid_request', 'The body is nested too deeply.'));
    else {
      const unread = new AppError('invalid_request', 'The body is not valid JSON.');
      void parse(request, body, (error, value) => done(error ? unread : refusalOf(value, body), value));
    }
  });
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => {
    const isNone = body.length === 0 && request.headers['content-type'] === undefined;
    done(isNone ? null : new AppError('unsupported_media_type', 'The body must be application/json.'));
  });
}

function refusalOf(value: unknown, text: string): AppError | null {
  if (typeof value !== 'object' || Array.isArray(value)) {
    return new AppError('invalid_request', 'The body must be a JSON object.');
  }
  if (partsIn(value) > MAX_PARTS.body) return new AppError('invalid_request', 'The body has too many fields or items.');
  if (hasConstructor(value)) return new AppError('invalid_request', 'No field may be named constructor.');
  const mayHaveZero = text.includes('\\u0000');
  return mayHaveZero && hasZero(value) ? new AppError('invalid_request', 'The body contains a zero byte.') : null;
}

/** PostgreSQL cannot store a zero byte in a text. */
function hasZero(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0');
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, item]) => name.includes('\0') || hasZero(item));
}

/** Infinite if one object alone has too many. */
function partsIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const items = Object.values(value);
  if (!Array.isArray(value) && items.length > MAX_PARTS.object) return Number.POSITIVE_INFINITY;
  return items.reduce<number>((sum, item) => sum + partsIn(item), items.length);
}

function hasConstructor(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.hasOwn(value, 'constructor') || Object.values(value).some(hasConstructor);
}
