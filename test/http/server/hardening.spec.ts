import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { OpenAPIObject } from '@nestjs/swagger';
import Fastify, { type FastifyInstance } from 'fastify';
import { drain } from '../../../src/http/server/drain.js';
import { serverLimits, serverOptions } from '../../../src/http/server/server-options.js';
import { isForApp, newAccountId, webhookSecret } from '../../support/environment.js';
import { signedMessage } from '../../support/signed-message.js';
import { TestApp } from '../../support/test-app.js';

const origin = 'https://portal.example.com';

interface Parameter {
  readonly in: string;
  readonly name: string;
}

function nested(levels: number): string {
  return `{"metadata":${'['.repeat(levels)}${']'.repeat(levels)},"outcome":"exit"}`;
}

describe('the headers of every response', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await TestApp.create();
  });

  afterAll(() => app.close());

  it.each(['/livez', '/docs', '/openapi.json', '/v1/me', '/admin/v1/overview', '/nothing'])(
    'keep %s from being framed, sniffed, or loading from other hosts',
    async (path) => {
      const { headers } = await app.call('GET', path);
      expect(headers['content-security-policy']).toContain("default-src 'none'");
      expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['x-frame-options']).toBe('DENY');
      expect(headers['referrer-policy']).toBe('no-referrer');
      expect(headers['strict-transport-security']).toContain('max-age=');
      expect(headers['access-control-allow-origin']).toBeUndefined();
    },
  );

  it.each(['/livez', '/v1/me', '/admin/v1/overview', '/admin/v1/accounts', '/nothing', '/docsomething'])(
    'forbid caching of %s',
    async (path) => {
      const answers = await Promise.all([app.call('GET', path, 'Bearer operator-key'), app.call('GET', path)]);
      expect(answers.map(({ headers }) => headers['cache-control'])).toEqual(['no-store', 'no-store']);
    },
  );

  it.each(['/docs', '/openapi.json'])('allow caching of %s', async (path) => {
    expect((await app.call('GET', path)).headers['cache-control']).toBeUndefined();
  });

  it('allow no preflight', async () => {
    const headers = { origin, 'access-control-request-method': 'GET' };
    const answer = await fetch(`${app.url}/v1/me`, { method: 'OPTIONS', headers });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([405, null]);
  });

  it.each(['{"a":{"constructor":{}}}', '{"a":[{"\\u0063onstructor":[1]}]}', '{"constructor":1}'])(
    'refuse a body with a field that would replace a class: %s',
    async (body) => {
      const headers = { authorization: 'Bearer operator-key', 'idempotency-key': newAccountId() };
      const answer = await app.call('POST', '/admin/v1/orders/place', headers, body);
      expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
    },
  );

  it('refuse a body that is not UTF-8, whatever its content type', async () => {
    for (const type of ['application/json', 'application/json; charset=iso-8859-1']) {
      const headers = { authorization: 'Bearer operator-key', 'content-type': type };
      const body = Buffer.from('{"account_id":"j\xf6rg"}', 'latin1');
      const answer = await fetch(`${app.url}/admin/v1/accounts`, { method: 'POST', headers, body });
      expect([answer.status, await answer.json()]).toEqual([
        400,
        expect.objectContaining({ code: 'invalid_request', detail: 'The body must be UTF-8.' }),
      ]);
    }
  });

  it('accept a body as deep as any of ours, and refuse a deeper or longer one', async () => {
    const authorization = `Bearer ${await app.appToken(newAccountId())}`;
    const report = async (body: string): Promise<number> => {
      const headers = { authorization, 'content-type': 'application/json' };
      return (await fetch(`${app.url}/v1/me/link-outcomes`, { method: 'POST', headers, body })).status;
    };
    expect(await report('{"outcome":"exit","metadata":{"quoted":"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\\"[["}}')).toBe(
      202,
    );
    expect(await report(nested(31))).toBe(400);
    expect(await report(`{"outcome":"exit","metadata":{"a":${nested(29)}}}`)).toBe(202);
    expect(await report(nested(100_000))).toBe(400);
    expect(await report(`{"outcome":"exit","metadata":{"a":"${'x'.repeat(serverLimits.bodyBytes)}"}}`)).toBe(413);
  });

  it('refuse a body with a sentence that says what it must be', async () => {
    const authorization = `Bearer ${await app.appToken(newAccountId())}`;
    const detailOf = async (body: string, type = 'application/json'): Promise<unknown> => {
      const headers = { authorization, 'content-type': type, 'idempotency-key': 'one-report' };
      const path = type === 'application/json' ? '/v1/me/link-token' : '/v1/me/lab-reports';
      return (
        (await (await fetch(`${app.url}${path}`, { method: 'POST', headers, body })).json()) as { detail: unknown }
      ).detail;
    };
    const long = `{"provider":"${'x'.repeat(serverLimits.bodyBytes)}"}`;
    expect(await detailOf(long)).toBe(`The body must not be larger than ${serverLimits.bodyBytes} bytes.`);
    for (const body of ['["oura"]', '"oura"', '1', 'true']) {
      expect(await detailOf(body)).toBe('The body must be a JSON object.');
    }
    expect(await detailOf('<html>', 'text/html')).toBe('The body must be multipart/form-data.');
  });

  it('refuse a body with too many fields or items, in one object or together, before they are looked at', async () => {
    const authorization = `Bearer ${await app.appToken(newAccountId())}`;
    const fields = (count: number): Record<string, number> =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`field_${index}`, 1]));
    const report = async (metadata: unknown): Promise<unknown[]> => {
      const answer = await app.call('POST', '/v1/me/link-outcomes', { authorization }, JSON.stringify(metadata));
      return [answer.status, answer.body.detail];
    };
    expect(await report({ outcome: 'exit', metadata: fields(200) })).toEqual([202, undefined]);
    const said = [400, 'The body has too many fields or items.'];
    expect(await report({ outcome: 'exit', metadata: fields(201) })).toEqual(said);
    expect(await report(fields(10_000))).toEqual(said);
    expect(await report({ outcome: 'exit', metadata: { list: Array(3_990).fill({}) } })).toEqual([202, undefined]);
    expect(await report({ outcome: 'exit', metadata: { list: Array(4_000).fill({}) } })).toEqual(said);
    expect(await report({ outcome: 'exit', metadata: { lists: Array(21).fill(fields(200)) } })).toEqual(said);
  });

  it('store a webhook whose body is nested too deeply, and continue', async () => {
    const deep = '['.repeat(1_000_000) + ']'.repeat(1_000_000);
    const event = `{"event_type":"daily.data.sleep.created","user_id":null,"data":${deep}}`;
    const { headers, body } = signedMessage('msg_deep', event, webhookSecret, app.clock.now());
    const answer = await fetch(`${app.url}/webhooks`, { method: 'POST', headers, body });
    expect(answer.status).toBe(204);
    await app.settle();
    const { body: messages } = await app.admin<{ data: { status: string }[] }>('GET', '/messages');
    expect(messages.data.map(({ status }) => status)).not.toContain('received');
    expect((await app.call('GET', '/livez')).status).toBe(200);
  });
});

describe('allowed origins', () => {
  it('may call the routes for the app, and no others', async () => {
    const app = await TestApp.create({ env: { CORS_ORIGINS: origin } });
    const allowed = async (path: string, from: string): Promise<string | null> => {
      const headers = { origin: from, 'access-control-request-method': 'GET' };
      const preflight = await fetch(`${app.url}${path}`, { method: 'OPTIONS', headers });
      return preflight.headers.get('access-control-allow-origin');
    };
    expect(await allowed('/v1/me', origin)).toBe(origin);
    expect(await allowed('/v1/me', 'https://elsewhere.example.com')).toBeNull();
    expect(await allowed('/admin/v1/overview', origin)).toBeNull();
    await app.close();
  });

  it('may not call routes of keys, however the path is written', async () => {
    const app = await TestApp.create({ env: { CORS_ORIGINS: origin } });
    const allowed = async (path: string, method: string): Promise<string | null> => {
      const headers = { origin, 'access-control-request-method': 'GET' };
      const answer = await fetch(`${app.url}${path}`, { method, headers });
      return answer.headers.get('access-control-allow-origin');
    };
    for (const method of ['GET', 'HEAD', 'OPTIONS']) {
      expect(await allowed('/v1/%6de', method)).toBe(origin);
      for (const path of ['/v1/accounts/a/today', '/v1/%61ccounts/a/today', '/v1/changes', '/v%31/chan%67es?limit=1'])
        expect([path, await allowed(path, method)]).toEqual([path, null]);
    }
    await app.close();
  });

  it('may use every documented method and header of these routes', async () => {
    const app = await TestApp.create({ env: { CORS_ORIGINS: origin } });
    const { paths } = (await app.call<OpenAPIObject>('GET', '/openapi.json')).body;
    const preflight = async (method: string, path: string): Promise<string[]> => {
      const { headers } = await fetch(`${app.url}${path}`, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': method },
      });
      const names = ['access-control-allow-methods', 'access-control-allow-headers'];
      return names.flatMap((name) => (headers.get(name) ?? '').toLowerCase().split(', '));
    };
    const refused: string[] = [];
    for (const [path, item] of Object.entries(paths).filter(([name]) => isForApp(name))) {
      for (const [method, { parameters = [] }] of Object.entries(
        item as Record<string, { parameters?: Parameter[] }>,
      )) {
        const needed = [
          method,
          ...parameters.filter((one) => one.in === 'header').map(({ name }) => name.toLowerCase()),
        ];
        const given = await preflight(method.toUpperCase(), path);
        refused.push(...needed.filter((one) => !given.includes(one)).map((one) => `${method} ${path} ${one}`));
      }
    }
    expect(refused).toEqual([]);
    await app.close();
  });
});

describe('time limits for callers', () => {
  const limits = { ...serverLimits, headersMs: 60, requestMs: 120, silenceMs: 120 };
  let fastify: FastifyInstance;

  async function serve(trusted: readonly string[] = []): Promise<number> {
    fastify = Fastify(serverOptions(trusted, limits));
    fastify.post('/', async (request) => ({ from: request.ip }));
    await fastify.listen({ port: 0, host: '127.0.0.1' });
    return (fastify.server.address() as { port: number }).port;
  }

  afterEach(() => fastify.close());

  async function sends(port: number, text: string): Promise<Socket> {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.resume();
    socket.write(text);
    await once(socket, 'connect');
    return socket;
  }

  it.each([
    ['headers that never end', 'POST / HTTP/1.1\r\nhost: x\r\n'],
    [
      'a body that never comes',
      'POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{',
    ],
    ['nothing at all', ''],
  ])('cut off a caller who sends %s', async (_what, text) => {
    const socket = await sends(await serve(), text);
    await once(socket, 'close');
    expect(socket.destroyed).toBe(true);
  });

  it('do not delay a shutdown for a connection without a request', async () => {
    fastify = Fastify(serverOptions([]));
    await fastify.listen({ port: 0, host: '127.0.0.1' });
    const socket = await sends((fastify.server.address() as { port: number }).port, '');
    const drained = drain(fastify.server, 20);
    await Promise.all([fastify.close().finally(drained), once(socket, 'close')]);
    expect(socket.destroyed).toBe(true);
  });

  it('refuse headers longer than the limit', async () => {
    const port = await serve();
    const headers = { 'x-long': 'x'.repeat(serverLimits.headerBytes) };
    expect((await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers })).status).toBe(431);
  });

  it('trust a forwarded address only from a trusted proxy', async () => {
    const seen = async (trusted: readonly string[]): Promise<unknown> => {
      const port = await serve(trusted);
      const headers = { 'x-forwarded-for': '203.0.113.9' };
      const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers });
      await fastify.close();
      return ((await answer.json()) as { from: string }).from;
    };
    expect(await seen([])).toBe('127.0.0.1');
    expect(await seen(['10.0.0.0/8'])).toBe('127.0.0.1');
    expect(await seen(['127.0.0.0/8'])).toBe('203.0.113.9');
  });
});
