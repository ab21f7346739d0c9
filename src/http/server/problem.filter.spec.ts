import 'reflect-metadata';
import {
  Body,
  Controller,
  ForbiddenException,
  Get,
  Module,
  Param,
  Post,
  Query,
  Res,
  ValidationPipe,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { IsString } from 'class-validator';
import type { FastifyReply } from 'fastify';
import { AppError, type ErrorCode, errorCodes } from '../../platform/platform/errors.js';
import { Log } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';
import type { ProblemDto } from './openapi.js';
import { PageQuery } from './page-query.js';
import { ProblemFilter, toProblem } from './problem.filter.js';
import { registerRequestId } from './request-id.js';
import { serverLimits, serverOptions } from './server-options.js';
import { validationOptions } from './validation.js';

const marker = 'MARKED-SECRET';

class RemarkDto {
  @IsString()
  text: string;
}

@Controller()
class ProbeController {
  @Get('coded/:code')
  coded(@Param('code') code: string): never {
    throw new AppError(code as ErrorCode, 'A sentence for a developer.', { retryAfterSeconds: 1.2 });
  }

  @Get('broken')
  broken(): never {
    throw Object.assign(new RangeError(marker), { parameters: [marker] });
  }

  @Get('framework')
  framework(): never {
    throw new ForbiddenException(marker);
  }

  @Get('half')
  half(@Res() reply: FastifyReply): never {
    reply.hijack();
    reply.raw.write('{"half":');
    throw new RangeError(marker);
  }

  @Get('list')
  list(@Query() query: PageQuery): PageQuery {
    return query;
  }

  @Post('notes')
  note(@Body() note: RemarkDto): RemarkDto {
    return note;
  }
}

@Module({ controllers: [ProbeController] })
class ProbeModule {}

describe('ProblemFilter', () => {
  let app: NestFastifyApplication;
  let lines: string[];
  let metrics: Metrics;

  beforeEach(async () => {
    lines = [];
    metrics = new Metrics();
    const log = new Log({ level: 'debug', destination: { write: (line: string) => lines.push(line) } });
    const adapter = new FastifyAdapter(serverOptions([], { ...serverLimits, bodyBytes: 1_000 }));
    app = await NestFactory.create<NestFastifyApplication>(ProbeModule, adapter, { logger: false });
    registerRequestId(app.getHttpAdapter().getInstance());
    app.useGlobalPipes(new ValidationPipe(validationOptions));
    app.useGlobalFilters(new ProblemFilter(log, metrics));
    await app.init();
  });

  afterEach(() => app.close());

  async function problem(options: Parameters<NestFastifyApplication['inject']>[0]) {
    const answer = await app.inject(options as object);
    expect(answer.headers['content-type']).toMatch(/^application\/problem\+json(;|$)/);
    const body = answer.json();
    expect(body).toMatchObject({ status: answer.statusCode, request_id: answer.headers['x-request-id'] });
    expect(body.type).toBe(`urn:pulsekeep:problem:${body.code}`);
    expect(answer.body).not.toContain(marker);
    return { status: answer.statusCode, code: body.code as string, body, headers: answer.headers };
  }

  const statuses: Record<ErrorCode, number> = {
    invalid_request: 400,
    unauthorized: 401,
    forbidden: 403,
    not_found: 404,
    method_not_allowed: 405,
    result_not_ready: 404,
    document_not_ready: 404,
    request_timeout: 408,
    cursor_expired: 410,
    feed_restarted: 410,
    cursor_ahead: 410,
    conflict: 409,
    account_id_not_allowed: 400,
    account_blocked: 403,
    account_erased: 409,
    access_reason_required: 400,
    idempotency_key_required: 400,
    idempotency_key_reused: 422,
    placement_in_progress: 409,
    placement_unresolved: 409,
    order_refused: 422,
    appointment_refused: 422,
    booking_in_progress: 409,
    not_synced: 409,
    order_not_cancellable: 409,
    rate_limited: 429,
    busy: 503,
    caller_left: 499,
    tokens_closed: 503,
    payload_too_large: 413,
    headers_too_large: 431,
    unsupported_media_type: 415,
    malformed_webhook: 400,
    bad_signature: 401,
    storage_unavailable: 503,
    upstream_rejected: 502,
    upstream_throttled: 503,
    upstream_unavailable: 503,
    upstream_contract: 502,
    upstream_user_limit: 409,
    upstream_invalid_request: 422,
    verification_unavailable: 503,
    internal: 500,
    lane_refused: 500,
    inbox_behind: 503,
    shutting_down: 503,
    not_ready: 503,
  };

  it.each(errorCodes)('returns %s with its status', async (code) => {
    const { status, body, headers } = await problem({ url: `/coded/${code}` });
    expect({ status, code: body.code }).toEqual({ status: statuses[code], code });
    expect(headers['retry-after']).toBe(status === 500 ? undefined : '2');
    expect(headers['www-authenticate']).toBe(code === 'unauthorized' ? 'Bearer' : undefined);
    if (status !== 500) expect(body.detail).toBe('A sentence for a developer.');
  });

  it('returns 500 for an unknown error, logs its class and place, and shows nothing of it', async () => {
    const { status, code } = await problem({ url: '/broken', headers: { 'x-request-id': 'probe-1' } });
    expect({ status, code }).toEqual({ status: 500, code: 'internal' });
    expect(lines.join()).not.toContain(marker);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 'error',
      event: 'http.request_failed',
      error: 'RangeError',
      code: 'internal',
      status: 500,
      route: '/broken',
      request_id: 'probe-1',
    });
    expect(await metrics.registry.metrics()).toContain('pulsekeep_http_problems_total{code="internal"} 1');
  });

  it('logs the template of a route, never its parameters', async () => {
    await problem({ url: '/coded/storage_unavailable' });
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'warn', route: '/coded/:code', status: 503 });
  });

  it('cuts off a response that has begun, so that half of it cannot pass for all of it', async () => {
    await app.listen(0, '127.0.0.1');
    const answer = await fetch(`${await app.getUrl()}/half`);
    await expect(answer.text()).rejects.toMatchObject({ name: 'TypeError' });
    expect(lines.join()).toContain('RangeError');
  });

  it('does not log errors of the caller', async () => {
    await problem({ url: '/coded/not_found' });
    expect(lines).toEqual([]);
  });

  it('hides the messages of the framework', async () => {
    expect(await problem({ url: '/framework' })).toMatchObject({ status: 403, code: 'forbidden' });
  });

  it('returns 404 for an address that does not exist', async () => {
    expect(await problem({ url: `/nowhere/${marker}?token=${marker}` })).toMatchObject({
      status: 404,
      code: 'not_found',
    });
  });

  it.each(['/coded/%FF', `/coded/${'x'.repeat(4_000)}`])(
    'responds to an address that cannot be routed: %s',
    async (url) => {
      const answer = await problem({ url, headers: { 'x-request-id': 'caller-3' } });
      expect(answer.status).toBeLessThan(500);
      expect(['invalid_request', 'not_found']).toContain(answer.code);
      expect(answer.body.request_id).toBe('caller-3');
    },
  );

  const json = { 'content-type': 'application/json' };

  it.each([
    ['a body that is no JSON', { headers: json, payload: `{"text": ${marker}` }, 400, 'invalid_request'],
    ['an empty JSON body', { headers: json, payload: '' }, 400, 'invalid_request'],
    ['a body over the limit', { headers: json, payload: `{"text":"${'x'.repeat(2_000)}"}` }, 413, 'payload_too_large'],
    [
      'another media type',
      { headers: { 'content-type': `text/${marker}` }, payload: 'x' },
      415,
      'unsupported_media_type',
    ],
    ['a body with a reserved name', { headers: json, payload: '{"__proto__":{"x":1}}' }, 400, 'invalid_request'],
  ])('answers %s', async (_what, request, status, code) => {
    expect(await problem({ method: 'POST', url: '/notes', ...request })).toMatchObject({ status, code });
  });

  it('names the fields that are wrong', async () => {
    const { body } = await problem({ method: 'POST', url: '/notes', payload: { text: 1, colour: marker } });
    expect(body.errors).toEqual([
      { field: 'colour', message: 'this field is unknown; known are text' },
      { field: 'text', message: 'text must be a string' },
    ]);
    const query = await problem({ url: '/list?limit=1&limit=2&page=1' });
    const fields = (query.body as ProblemDto).errors?.map(({ field }) => field);
    expect(fields?.sort()).toEqual(['limit', 'page']);
  });

  it('accepts a plain request id and returns it with every response', async () => {
    const good = await app.inject({ url: '/list', headers: { 'x-request-id': 'caller-1-A_b' } });
    expect(good.statusCode).toBe(200);
    expect(good.headers['x-request-id']).toBe('caller-1-A_b');
    const bad = await problem({ url: '/nowhere', headers: { 'x-request-id': 'caller-2' } });
    expect(bad.headers['x-request-id']).toBe('caller-2');
  });

  it.each(['', 'a b', 'x'.repeat(65), 'é', '<script>', 'jane@example.com', 'a.b.c', 'sk_us_key', 'whsec_key'])(
    'generates an id instead of %j',
    async (given) => {
      const answer = await app.inject({ url: '/list', headers: { 'x-request-id': given } });
      expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    },
  );
});

describe('toProblem', () => {
  it('reads a bare refusal of the server', () => {
    const error = Object.assign(new Error(marker), { code: 'FST_ERR_CTP_BODY_TOO_LARGE', statusCode: 413 });
    expect(toProblem(error, 'r-1')).toMatchObject({
      status: 413,
      body: { code: 'payload_too_large', request_id: 'r-1' },
    });
    expect(JSON.stringify(toProblem(error, 'r-1'))).not.toContain(marker);
  });

  it('treats an error that merely has a status as our fault', () => {
    const error = Object.assign(new Error(marker), { code: 'ERR_BAD_REQUEST', statusCode: 404, status: 404 });
    expect(toProblem(error, 'r-1').body.code).toBe('internal');
  });
});
