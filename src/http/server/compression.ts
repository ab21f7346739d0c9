import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const packed = promisify(gzip);
/** Less gains nothing on the way. */
const LEAST_BYTES = 1_400;
const compressible = /^(application\/([\w.+-]*\+)?json|text\/\w+|application\/javascript)\b/;

/**
 * Answers of GET leave compressed where the caller takes gzip. No others: tokens are handed out by POST alone, and an
 * answer that holds a secret beside what a caller sent would give the secret away by its length (BREACH). Streams leave
 * as they come. Call after the hooks that look at answers.
 */
export function registerCompression(fastify: FastifyInstance): void {
  fastify.addHook('onSend', async (request, reply, payload) => {
    if (!isCandidate(request, reply, payload)) return payload;
    void reply.header('vary', withAcceptEncoding(reply.getHeader('vary')));
    if (!takesGzip(request.headers['accept-encoding'])) return payload;
    const bytes = await packed(payload);
    void reply.header('content-encoding', 'gzip').header('content-length', bytes.length);
    return bytes;
  });
}

function isCandidate(request: FastifyRequest, reply: FastifyReply, payload: unknown): payload is string | Buffer {
  if (request.method !== 'GET' || reply.statusCode !== 200 || reply.hasHeader('content-encoding')) return false;
  if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return false;
  return Buffer.byteLength(payload) >= LEAST_BYTES && compressible.test(String(reply.getHeader('content-type')));
}

function withAcceptEncoding(vary: string | number | string[] | undefined): string {
  return vary === undefined ? 'accept-encoding' : `${String(vary)}, accept-encoding`;
}

/** `gzip` itself, or `*` where it is not named; a weight of 0 is a no. */
export function takesGzip(header: unknown): boolean {
  if (typeof header !== 'string') return false;
  const weights = new Map(header.toLowerCase().split(',').map(weighted));
  return (weights.get('gzip') ?? weights.get('*') ?? 0) > 0;
}

function weighted(item: string): [string, number] {
  const [name = '', ...parameters] = item.split(';').map((part) => part.trim());
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  return [name, weight === undefined ? 1 : Number(weight)];
}
