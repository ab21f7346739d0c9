import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../platform/errors.js';
import type { Metrics } from '../platform/metrics.js';

/** Bodies in memory at a time, of all connections together, from their first byte until they are answered. */
export const BODY_ROOM_BYTES = 32 * 1_048_576;
const RETRY_AFTER_SECONDS = 5;

interface Held {
  bytes: number;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/**
 * Counts the bytes of bodies as they come. Once there is no room for more, the body that has been coming for longest
 * is refused and its connection ended: one that is sent at an ordinary speed is whole long before it is the oldest, so
 * that bodies sent slowly, however many, cost others nothing. Call after the hooks that judge a request by its head.
 */
export function registerBodyRoom(fastify: FastifyInstance, metrics: Metrics, room = BODY_ROOM_BYTES): void {
  const bodies = new Set<Held>();
  let used = 0;
  const refused = metrics.counter('bodies_cut_off_total', 'Bodies that were cut off since there was no room for more');
  metrics.gauge('body_bytes', 'Bytes of bodies in memory', [], (gauge) => gauge.set(used));

  function take(held: Held, bytes: number): void {
    used += bytes;
    held.bytes += bytes;
    for (const oldest of bodies) {
      if (used <= room) return;
      if (!oldest.request.raw.complete || oldest === held) cutOff(oldest);
    }
  }

  function giveBack(held: Held): void {
    if (!bodies.delete(held)) return;
    used -= held.bytes;
  }

  function cutOff(held: Held): void {
    giveBack(held);
    refused.inc();
    const { request, reply } = held;
    reply.raw.once('finish', () => request.raw.destroy());
    const options = { retryAfterSeconds: RETRY_AFTER_SECONDS };
    void reply.header('connection', 'close').send(new AppError('busy', 'There is no room for this body.', options));
  }

  fastify.addHook('preParsing', (request, reply, _payload, done) => {
    const hasBody = request.headers['content-length'] !== '0' && request.method !== 'GET' && request.method !== 'HEAD';
    if (!hasBody) return done();
    const held: Held = { bytes: 0, request, reply };
    bodies.add(held);
    request.raw.on('data', (chunk: Buffer) => {
      if (bodies.has(held)) take(held, chunk.length);
    });
    reply.raw.once('close', () => giveBack(held));
    done();
  });
}
