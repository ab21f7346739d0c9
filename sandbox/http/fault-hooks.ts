import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { FaultRule, Faults } from '../engine/faults.js';

const DEFAULT_SLOW_MS = 1000;
const DEFAULT_HANG_MS = 120_000;

interface PagedQuery {
  next_cursor?: string;
  cursor?: string;
}

const struck = new WeakMap<FastifyRequest, FaultRule>();

function cursorOf(request: FastifyRequest): string | undefined {
  const query = request.query as PagedQuery;
  return query.next_cursor ?? query.cursor;
}

function cut(request: FastifyRequest, reply: FastifyReply): void {
  reply.hijack();
  request.raw.socket.destroy();
}

/** Ends early when the caller or the server goes. */
async function pause(request: FastifyRequest, delay: number): Promise<void> {
  const gone = new AbortController();
  request.raw.socket.once('close', () => gone.abort());
  await wait(delay, undefined, { signal: gone.signal, ref: false }).catch(() => undefined);
}

/** Keeps the caller waiting without an answer, then cuts the line. */
async function hang(request: FastifyRequest, reply: FastifyReply, delay: number): Promise<void> {
  reply.hijack();
  await pause(request, delay);
  request.raw.socket.destroy();
}

async function refuse(rule: FaultRule, reply: FastifyReply): Promise<void> {
  if (rule.retry_after !== undefined) reply.header('retry-after', String(rule.retry_after));
  const body = rule.body ?? JSON.stringify({ detail: 'Service is not available' });
  await reply
    .code(rule.status ?? 503)
    .type(rule.content_type ?? 'application/json')
    .send(body);
}

type Strike = (rule: FaultRule, request: FastifyRequest, reply: FastifyReply) => unknown;

/** Faults that strike before the route. All others, and a slow call, go on to it and may strike its answer. */
const before: Readonly<Partial<Record<FaultRule['kind'], Strike>>> = {
  status: (rule, _, reply) => refuse(rule, reply),
  plain_text_500: (_rule, _request, reply) => reply.code(500).type('text/plain').send('Internal Server Error'),
  drop_before: (_, request, reply) => cut(request, reply),
  timeout: (rule, request, reply) => hang(request, reply, rule.delay_ms ?? DEFAULT_HANG_MS),
  slow: (rule, request) => pause(request, rule.delay_ms ?? DEFAULT_SLOW_MS),
};

async function strikeBefore(rule: FaultRule, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const strike = before[rule.kind];
  await strike?.(rule, request, reply);
  if (!strike || rule.kind === 'slow') struck.set(request, rule);
}

/** The first half of the bytes under the full length, then the line breaks. */
function half(reply: FastifyReply, payload: string | Buffer): Readable {
  const bytes = Buffer.from(payload);
  reply.header('content-length', bytes.length);
  let sent = false;
  return new Readable({
    read() {
      if (sent) this.destroy(new Error('line cut'));
      else this.push(bytes.subarray(0, Math.ceil(bytes.length / 2)));
      sent = true;
    },
  });
}

/** Whether a fault of this kind struck the call. */
export function isStruckBy(request: FastifyRequest, kind: FaultRule['kind']): boolean {
  return struck.get(request)?.kind === kind;
}

/** The status a call is answered with although it took effect; undefined for every other call. */
export function failureAfter(request: FastifyRequest): number | undefined {
  const rule = struck.get(request);
  return rule?.kind === 'fail_after' ? (rule.status ?? 500) : undefined;
}

function failed(rule: FaultRule, reply: FastifyReply): string {
  const body = JSON.stringify({ detail: 'Internal Server Error' });
  void reply.code(rule.status ?? 500).header('content-length', Buffer.byteLength(body));
  return body;
}

function strikeAfter(rule: FaultRule, request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
  const sent = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload : '';
  if (rule.kind === 'bad_json') return `${sent.toString().slice(0, -1)},,`;
  if (rule.kind === 'empty') return '';
  if (rule.kind === 'fail_after') return failed(rule, reply);
  if (rule.kind === 'truncate') return half(reply, sent);
  if (rule.kind === 'drop_after') request.raw.socket.destroy();
  return payload;
}

/** Lets the armed faults strike calls on upstream's own paths; `/control` is spared. */
export function installFaults(app: FastifyInstance, faults: Faults): void {
  app.addHook('onRequest', async (request, reply) => {
    const path = request.url.split('?')[0] ?? '';
    if (path.startsWith('/control')) return;
    const rule = faults.strike({ method: request.method, path, hasCursor: cursorOf(request) !== undefined });
    if (rule !== null) await strikeBefore(rule, request, reply);
  });
  app.addHook('preSerialization', async (request, _reply, payload) => {
    if (struck.get(request)?.kind !== 'repeat_cursor') return payload;
    const cursor = cursorOf(request);
    return { ...(payload as object), next: cursor, next_cursor: cursor };
  });
  app.addHook('onSend', async (request, reply, payload) => {
    const rule = struck.get(request);
    if (rule?.kind === 'slow_after') await pause(request, rule.delay_ms ?? DEFAULT_SLOW_MS);
    return rule === undefined ? payload : strikeAfter(rule, request, reply, payload);
  });
}
