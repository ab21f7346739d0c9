import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { AppError } from '../../platform/platform/errors.js';
import type { Metrics } from '../../platform/platform/metrics.js';
import { whenClosed } from './one-at-a-time.js';
import { factsOf } from './route-facts.js';
import { BODY_RETRY_SECONDS, MAX_BODY_ROOM_BYTES } from './tuning.js';

export function bodyTooLarge(maxBytes: number): AppError {
  return new AppError('payload_too_large', `The body must not be larger than ${maxBytes} bytes.`);
}

/** A body that occupies memory. */
export interface HeldBody {
  readonly request: IncomingMessage;
  /** Responds with the error, then closes the connection. */
  readonly cutOff: (error: AppError) => void;
  bytes: number;
  /** Neighbours in order of arrival; null at the ends, and both after removal. */
  older: HeldBody | null;
  newer: HeldBody | null;
}

/**
 * Bodies by age. Not a `Set`: with frequent changes it moves to new tables, and V8 lets each old table refer to the
 * next one and to its former entries. Once one of them survives minor collections, every later body and its request
 * stays until a full collection (Node 24, docs/decisions/0019-accepting-webhooks.md).
 */
class ByAge {
  oldest: HeldBody | null = null;
  private newest: HeldBody | null = null;

  add(held: HeldBody): void {
    held.older = this.newest;
    if (this.newest) this.newest.newer = held;
    else this.oldest = held;
    this.newest = held;
  }

  has(held: HeldBody): boolean {
    return held.older !== null || this.oldest === held;
  }

  remove(held: HeldBody): void {
    const { older, newer } = held;
    if (older) older.newer = newer;
    else this.oldest = newer;
    if (newer) newer.older = older;
    else this.newest = older;
    held.older = null;
    held.newer = null;
  }
}

/** The metrics of a room. */
const namesOf = {
  body: ['bodies_cut_off_total', 'body_bytes'],
  form: ['forms_cut_off_total', 'form_bytes'],
} as const;

/**
 * Counts the bytes of bodies as they arrive. When memory is full, the oldest incomplete body is refused and its
 * connection is closed. A body sent at normal speed completes long before it is the oldest, so slow senders do not
 * affect others, however many there are.
 */
export class BodyRoom {
  private readonly bodies = new ByAge();
  private used = 0;
  private readonly refused;

  constructor(
    metrics: Metrics,
    private readonly room = MAX_BODY_ROOM_BYTES,
    of: 'body' | 'form' = 'body',
  ) {
    const [refused, held] = namesOf[of];
    this.refused = metrics.counter(refused, 'Bodies refused because memory for bodies was full');
    metrics.gauge(held, 'Request bodies in memory, in bytes', [], (gauge) => gauge.set(this.used));
  }

  /** Registers a body before it arrives. Call `giveBack` when its response has closed. */
  enter(request: IncomingMessage, cutOff: (error: AppError) => void): HeldBody {
    const held: HeldBody = { request, cutOff, bytes: 0, older: null, newer: null };
    this.bodies.add(held);
    return held;
  }

  take(held: HeldBody, bytes: number): void {
    if (!this.bodies.has(held)) return;
    this.used += bytes;
    held.bytes += bytes;
    if (this.used > this.room) this.makeRoom(held);
  }

  giveBack(held: HeldBody): void {
    if (!this.bodies.has(held)) return;
    this.bodies.remove(held);
    this.used -= held.bytes;
  }

  private makeRoom(held: HeldBody): void {
    let next = this.bodies.oldest;
    while (next && this.used > this.room) {
      const oldest = next;
      next = oldest.newer;
      if (oldest.request.complete && oldest !== held) continue;
      this.giveBack(oldest);
      this.refused.inc();
      const options = { retryAfterSeconds: BODY_RETRY_SECONDS };
      oldest.cutOff(new AppError('busy', 'Memory for request bodies is full; retry later.', options));
    }
  }
}

/**
 * Applies the limit to all routes; forms have a room of their own, so that large files cut off no other caller.
 */
export function registerBodyRoom(fastify: FastifyInstance, ordinary: BodyRoom, forms = ordinary): void {
  fastify.addHook('preParsing', (request, reply, _payload, done) => {
    const hasBody = request.headers['content-length'] !== '0' && request.method !== 'GET' && request.method !== 'HEAD';
    if (!hasBody) return done();
    const room = factsOf(request).takesForm ? forms : ordinary;
    const held = room.enter(request.raw, (error) => {
      reply.raw.once('finish', () => request.raw.destroy());
      void reply.header('connection', 'close').send(error);
    });
    request.raw.on('data', (chunk: Buffer) => room.take(held, chunk.length));
    whenClosed(request.raw, reply.raw, () => room.giveBack(held));
    done();
  });
}
