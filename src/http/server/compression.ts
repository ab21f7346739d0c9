import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { keepable } from './security-headers.js';
import { MIN_COMPRESSED_BYTES } from './tuning.js';

const packed = promisify(gzip);
const compressible = /^(application\/([\w.+-]*\+)?json|text\/\w+|application\/javascript)\b/;

/**
 * Compresses GET responses if the client accepts gzip. Only GET: tokens are returned only by POST, and the length of a
 * compressed response reveals a secret next to client input (BREACH). Streams are not compressed. Public pages are
 * compressed once, because anyone may request them and the longest takes 16 ms.
 */
export function registerCompression(fastify: FastifyInstance): void {
  const pages = new Map<string | Buffer, Promise<Buffer>>();
  function packedOf({ url }: FastifyRequest, payload: string | Buffer): Promise<Buffer> {
    if (!keepable.test(url)) return packed(payload);
    const known = pages.get(payload) ?? packed(payload);
    pages.set(payload, known);
    return known;
  }
  fastify.addHook('onSend', async (request, reply, payload) => {
    if (!isCandidate(request, reply, payload)) return payload;
    const vary = reply.getHeader('vary');
    void reply.header('vary', vary === undefined ? 'accept-encoding' : `${String(vary)}, accept-encoding`);
    if (!takesGzip(request.headers['accept-encoding'])) return payload;
    const bytes = await packedOf(request, payload);
    void reply.header('content-encoding', 'gzip').header('content-length', bytes.length);
    return bytes;
  });
}

function isCandidate(request: FastifyRequest, reply: FastifyReply, payload: unknown): payload is string | Buffer {
  if (request.method !== 'GET' || reply.statusCode !== 200 || reply.hasHeader('content-encoding')) return false;
  if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return false;
  return (
    Buffer.byteLength(payload) >= MIN_COMPRESSED_BYTES && compressible.test(String(reply.getHeader('content-type')))
  );
}

/** `gzip`, or `*` if gzip is not listed; a weight of 0 means no. */
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
