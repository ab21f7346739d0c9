import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ActiveRule, FaultKind, FaultRule } from '../engine/faults.js';
import type { World } from '../world.js';
import { FORGET } from './forget.js';

const DEFAULT_SLOW_MS = 1000;
const DEFAULT_HANG_MS = 120_000;
const HTML = '<!doctype html><title>Bad gateway</title><h1>Bad gateway</h1>';

interface PagedQuery {
  next_cursor?: string;
  cursor?: string;
}

const struck = new WeakMap<FastifyRequest, ActiveRule>();

function cursorOf(request: FastifyRequest): string | undefined {
  const query = request.query as PagedQuery;
  return query.next_cursor ?? query.cursor;
}

function pathOf(request: FastifyRequest): string {
  return request.url.split('?')[0] ?? '';
}

function cut(request: FastifyRequest, reply: FastifyReply): void {
  reply.hijack();
  request.raw.socket.destroy();
}

/** Ends early if the fault is removed, the client disconnects or the server closes. */
async function pause(request: FastifyRequest, { removed }: ActiveRule, delay: number): Promise<void> {
  const gone = new AbortController();
  request.raw.socket.once('close', () => gone.abort());
  const signal = AbortSignal.any([gone.signal, removed.signal]);
  await wait(delay, undefined, { signal, ref: false }).catch(() => undefined);
}

/** Sends no response for a while, then cuts the connection. */
async function hang(rule: ActiveRule, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.hijack();
  await pause(request, rule, rule.delay_ms ?? DEFAULT_HANG_MS);
  request.raw.socket.destroy();
}

async function refuse(rule: FaultRule, status: number, reply: FastifyReply): Promise<void> {
  if (rule.retry_after !== undefined) reply.header('retry-after', String(rule.retry_after));
  const body = rule.body ?? JSON.stringify({ detail: 'Service is not available' });
  await reply
    .code(status)
    .type(rule.content_type ?? 'application/json')
    .send(body);
}

type Strike = (rule: ActiveRule, request: FastifyRequest, reply: FastifyReply) => unknown;

/** Faults that respond instead of the route. */
const instead: Readonly<Partial<Record<FaultKind, Strike>>> = {
  status: (rule, _, reply) => refuse(rule, rule.status ?? 503, reply),
  throttle: (rule, _, reply) => refuse(rule, 429, reply),
  html_error: (rule, _, reply) => refuse({ content_type: 'text/html', body: HTML, ...rule }, rule.status ?? 502, reply),
  plain_text_500: (_rule, _request, reply) => reply.code(500).type('text/plain').send('Internal Server Error'),
  expire_cursor: (_rule, _request, reply) =>
    reply
      .code(422)
      .send({ detail: [{ loc: ['query', 'next_cursor'], msg: 'Cursor has expired', type: 'value_error' }] }),
  drop_before: (_, request, reply) => cut(request, reply),
  timeout: hang,
};

async function strikeBefore(
  world: World,
  rule: ActiveRule,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const answer = instead[rule.kind];
  if (answer !== undefined) {
    await answer(rule, request, reply);
    return;
  }
  struck.set(request, rule);
  if (rule.kind === 'slow') await pause(request, rule, rule.delay_ms ?? DEFAULT_SLOW_MS);
  FORGET[rule.kind]?.(world, pathOf(request));
}

/** Sends the full content length and half of the bytes, then cuts the connection. */
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

/** True if a fault of this kind struck the call. */
export function isStruckBy(request: FastifyRequest, kind: FaultKind): boolean {
  return struck.get(request)?.kind === kind;
}

/** Cursor of the page: `next`, or in an endless walk a new one even on the last page. */
export function nextCursor(
  world: World,
  request: FastifyRequest,
  next: string | null,
  here: () => string,
): string | null {
  if (!isStruckBy(request, 'endless_cursor')) return next;
  return `${next ?? here()}.${world.ids.integer('endless cursor')}`;
}

/** The status returned for a call that took effect nevertheless; undefined for other calls. */
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
  if (rule.kind === 'wrong_type') void reply.type(rule.content_type ?? 'text/html');
  return payload;
}

/** A copy of a response in which every object is changed. */
function eachObject(value: unknown, change: (object: Record<string, unknown>) => Record<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((item) => eachObject(item, change));
  if (typeof value !== 'object' || value === null) return value;
  const inner = Object.entries(value).map(([name, item]) => [name, eachObject(item, change)] as const);
  return change(Object.fromEntries(inner));
}

type Rewrite = (payload: Record<string, unknown>, request: FastifyRequest) => unknown;

function withCursor(payload: Record<string, unknown>, cursor: string | null | undefined): Record<string, unknown> {
  return { ...payload, next: cursor, next_cursor: cursor };
}

/** Faults that change the content of a response. */
const rewritten: Readonly<Partial<Record<FaultKind, Rewrite>>> = {
  repeat_cursor: (payload, request) => withCursor(payload, cursorOf(request)),
  lose_cursor: (payload) => withCursor(payload, null),
  none_cursor: (payload) => withCursor(payload, (payload['next_cursor'] as string | null | undefined) ?? 'None'),
  drift: (payload) => eachObject(payload, (object) => ({ ...object, added_lately: { since: 2026 } })),
  stuck_pull: (payload) =>
    eachObject(payload, (object) =>
      'trace_id' in object && 'timeline' in object ? { ...object, status: 'in_progress', error_details: null } : object,
    ),
};

/** Applies the armed faults to calls of upstream's own paths, not of `/control`. */
export function installFaults(app: FastifyInstance, world: World): void {
  app.addHook('onRequest', async (request, reply) => {
    const path = pathOf(request);
    if (path.startsWith('/control')) return;
    const rule = world.faults.strike({ method: request.method, path, hasCursor: cursorOf(request) !== undefined });
    if (rule !== null) await strikeBefore(world, rule, request, reply);
  });
  app.addHook('preSerialization', async (request, _reply, payload) => {
    const rewrite = rewritten[struck.get(request)?.kind ?? 'slow'];
    return rewrite === undefined ? payload : rewrite(payload as Record<string, unknown>, request);
  });
  app.addHook('onSend', async (request, reply, payload) => {
    const rule = struck.get(request);
    if (rule?.kind === 'slow_after') await pause(request, rule, rule.delay_ms ?? DEFAULT_SLOW_MS);
    return rule === undefined ? payload : strikeAfter(rule, request, reply, payload);
  });
}
