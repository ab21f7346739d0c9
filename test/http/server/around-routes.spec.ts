import { createHook } from 'node:async_hooks';
import { readdirSync } from 'node:fs';
import { createServer, request as httpRequest } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { takesGzip } from '../../../src/http/server/compression.js';
import { adminKeys, isForApp, nowhere, webhookSecret } from '../../support/environment.js';
import { signedMessage } from '../../support/signed-message.js';
import { TestApp } from '../../support/test-app.js';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;

interface Raw {
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

describe('around every route', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await TestApp.create();
  });

  afterAll(() => app.close());

  /** As it goes over the wire: `fetch` unpacks. */
  function raw(method: string, path: string, headers: Record<string, string>): Promise<Raw> {
    return new Promise((resolve, reject) => {
      const sent = httpRequest(`${app.url}${path}`, { method, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => void chunks.push(chunk));
        response.on('end', () => resolve({ headers: response.headers, body: Buffer.concat(chunks) }));
      });
      sent.on('error', reject).end();
    });
  }

  it('a long response is compressed for clients that accept it, and plain for others', async () => {
    const plain = await raw('GET', '/openapi.json', {});
    expect([plain.headers['content-encoding'], plain.headers['vary']]).toEqual([undefined, 'accept-encoding']);
    const packed = await raw('GET', '/openapi.json', { 'accept-encoding': 'br, gzip' });
    expect([packed.headers['content-encoding'], packed.headers['vary']]).toEqual(['gzip', 'accept-encoding']);
    expect(packed.headers['content-length']).toBe(String(packed.body.length));
    expect(packed.body.length).toBeLessThan(plain.body.length / 5);
    expect(gunzipSync(packed.body).equals(plain.body)).toBe(true);
    const refused = await raw('GET', '/openapi.json', { 'accept-encoding': 'gzip;q=0, br' });
    expect(refused.headers['content-encoding']).toBeUndefined();
  });

  it('public documents are written and compressed once, because anyone may request them', async () => {
    const packings: string[] = [];
    const hook = createHook({ init: (_, type) => void (type === 'ZLIB' && packings.push(type)) });
    const stringify = jest.spyOn(JSON, 'stringify');
    const documents = (): number => stringify.mock.results.filter(({ value }) => String(value).length > 500_000).length;
    const paths = ['/openapi.json', '/docs', '/docs/', '/docs?a=/', '/docs/swagger-ui-init.js'];
    const sizes: number[][] = [];
    try {
      for (const round of [1, 2, 3]) {
        if (round === 2) hook.enable();
        if (round === 2) stringify.mockClear();
        const answers = await Promise.all(paths.map((path) => raw('GET', path, { 'accept-encoding': 'gzip' })));
        expect(answers.map(({ headers }) => headers['content-encoding'])).toEqual(paths.map(() => 'gzip'));
        sizes.push(answers.map(({ body }) => body.length));
      }
      expect([packings, documents()]).toEqual([[], 0]);
    } finally {
      hook.disable();
      stringify.mockRestore();
    }
    expect(sizes[2]).toEqual(sizes[0]);
    const text = async (path: string) => gunzipSync((await raw('GET', path, { 'accept-encoding': 'gzip' })).body);
    expect((await text('/docs')).toString()).toContain('./docs/swagger-ui-init.js');
  });

  it('a recorded response is compressed as well', async () => {
    const headers = { 'accept-encoding': 'gzip', authorization: 'Bearer operator-key' };
    for (let count = 0; count < 12; count++) {
      await raw('GET', `/admin/v1/access-log?limit=${count + 1}`, headers);
    }
    const entries = await raw('GET', '/admin/v1/access-log', headers);
    expect(entries.headers['content-encoding']).toBe('gzip');
    const { data } = JSON.parse(gunzipSync(entries.body).toString()) as { data: unknown[] };
    expect(data.length).toBeGreaterThanOrEqual(12);
  });

  it('neither a token nor a short response is compressed', async () => {
    const authorization = `Bearer ${await app.appToken('customer-1')}`;
    for (const path of ['/v1/me/sign-in-token', '/v1/me/link-token']) {
      const { headers, body } = await raw('POST', path, { 'accept-encoding': 'gzip', authorization });
      expect(headers['content-encoding']).toBeUndefined();
      expect(body.toString()).toContain('_token');
    }
    const short = await raw('GET', '/livez', { 'accept-encoding': 'gzip' });
    expect(short.headers['content-encoding']).toBeUndefined();
  });

  it.each([
    ['gzip', true],
    ['*', true],
    ['br;q=1.0, gzip;q=0.8', true],
    ['gzip;q=0', false],
    ['*;q=1, gzip;q=0', false],
    ['identity', false],
    ['', false],
    [undefined, false],
  ])('gzip is accepted by %j: %s', (header, taken) => {
    expect(takesGzip(header)).toBe(taken);
  });

  it('a trace is in the lines of the log, unless it is malformed', async () => {
    const authorization = `Bearer ${await app.appToken('customer-2')}`;
    for (const header of [traceparent, 'sk_us_marked']) {
      const headers = { authorization, traceparent: header, 'content-type': 'application/json' };
      const body = JSON.stringify({ installation_id: 'phone-1' });
      expect((await fetch(`${app.url}/v1/me/sign-in-token`, { method: 'POST', headers, body })).status).toBe(201);
    }
    const issued = app.logs.map((line) => JSON.parse(line) as { event: string; trace_id?: string });
    const traces = issued.filter(({ event }) => event === 'token.issued').map(({ trace_id }) => trace_id);
    expect(traces.slice(-2)).toEqual([traceId, undefined]);
    expect(app.logs.join('')).not.toContain('marked');
  });
});

describe('a call to upstream', () => {
  it('is a separate step in the trace of its request, if there is one', async () => {
    const seen: (string | undefined)[] = [];
    const upstream = createServer(({ headers }, response) => {
      seen.push(headers['traceparent'] as string | undefined);
      response.writeHead(403, { 'content-type': 'application/json' }).end('{"detail":"no"}');
    });
    await new Promise<void>((listening) => upstream.listen(0, '127.0.0.1', listening));
    const app = await TestApp.create({
      upstream: { url: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}` },
    });
    for (const given of [[['traceparent', traceparent]], []]) {
      const headers = new Headers([['authorization', `Bearer ${await app.appToken('customer-1')}`], ...given] as [
        string,
        string,
      ][]);
      expect((await fetch(`${app.url}/v1/me/sign-in-token`, { method: 'POST', headers })).status).toBe(502);
    }
    await app.close();
    await new Promise((closed) => upstream.close(closed));
    expect(seen.length).toBeGreaterThanOrEqual(2);
    expect(seen[0]).toMatch(new RegExp(`^00-${traceId}-(?!00f067aa0ba902b7)[0-9a-f]{16}-01$`));
    expect(seen.at(-1)).toBeUndefined();
  });
});

describe('the page at /docs', () => {
  it('loads its files, and nothing else of its folder is served', async () => {
    const app = await TestApp.create({ upstream: { url: nowhere } });
    const page = await (await fetch(`${app.url}/docs`)).text();
    const loaded = [...page.matchAll(/(?:src|href)="\.\/docs\/([^"]+)"/g)].map(([, file]) => String(file));
    expect(loaded).toEqual(expect.arrayContaining(['swagger-ui.css', 'swagger-ui-bundle.js', 'swagger-ui-init.js']));
    const status = async (path: string): Promise<number> => (await fetch(`${app.url}/docs/${path}`)).status;
    expect(await Promise.all(loaded.map(status))).toEqual(loaded.map(() => 200));
    const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
    const others = readdirSync(folder).filter((file) => !loaded.includes(file));
    expect(others.length).toBeGreaterThan(10);
    const tricks = ['swagger-ui%2Dbundle.js.map', 'docs/swagger-ui-bundle.js.map', 'docs/swagger-ui-init.js', './x'];
    for (const path of [...others, ...tricks]) expect([path, await status(path)]).toEqual([path, 404]);
    await app.close();
  });
});

describe('a client that waits for 100 Continue', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await TestApp.create();
  });

  afterAll(() => app.close());

  /** What is answered to the head of a request, and whether its body was asked for; sends the body then. */
  function expectsContinue(
    path: string,
    headers: Record<string, string | number>,
    body: string,
  ): Promise<{ status: number | undefined; asked: boolean; connection: string | undefined }> {
    return new Promise((resolve, reject) => {
      let asked = false;
      const sent = httpRequest(`${app.url}${path}`, {
        method: 'POST',
        headers: { expect: '100-continue', 'content-type': 'application/json', ...headers },
      });
      sent.on('continue', () => {
        asked = true;
        sent.end(body);
      });
      sent.on('response', (response) => {
        response.resume();
        resolve({ status: response.statusCode, asked, connection: response.headers.connection });
        sent.destroy();
      });
      sent.on('error', reject);
      sent.flushHeaders();
    });
  }

  it('gets it for a body that can be accepted', async () => {
    const authorization = `Bearer ${await app.appToken('customer-1')}`;
    const body = '{"outcome":"exit"}';
    const headers = { authorization, 'content-length': body.length };
    expect(await expectsContinue('/v1/me/link-outcomes', headers, body)).toMatchObject({ status: 202, asked: true });
    const { headers: signed, body: bytes } = signedMessage('msg_waits', '{}', webhookSecret, app.clock.now());
    const delivery = await expectsContinue(
      '/webhooks',
      { ...signed, 'content-length': bytes.length },
      bytes.toString(),
    );
    expect(delivery).toMatchObject({ status: 204, asked: true });
  });

  it('gets it for a form that is longer than other bodies may be', async () => {
    const length = 2 * 1_048_576;
    const headers = {
      authorization: `Bearer ${await app.appToken('customer-1')}`,
      'content-type': 'multipart/form-data; boundary=x',
      'content-length': length,
    };
    const answer = await expectsContinue('/v1/me/lab-reports', headers, ' '.repeat(length));
    expect(answer).toMatchObject({ status: 400, asked: true });
  });

  it.each([
    ['/v1/me/link-outcomes', 262_145],
    ['/admin/v1/accounts', 262_145],
    ['/v1/me/lab-reports', 32_505_857],
    ['/webhooks', 5_242_881],
    ['/nothing', 1],
  ])('is refused first, at %s with a body of %i bytes, and its connection ends', async (path, length) => {
    const token = isForApp(path) ? await app.appToken('customer-1') : adminKeys.operator;
    const { headers: signed } = signedMessage('msg_large', '{}', webhookSecret, app.clock.now());
    const headers = {
      ...signed,
      authorization: `Bearer ${token}`,
      'content-length': length,
      ...(path === '/v1/me/lab-reports' && { 'content-type': 'multipart/form-data; boundary=x' }),
    };
    const answer = await expectsContinue(path, headers, '');
    expect(answer).toEqual({ status: path === '/nothing' ? 404 : 413, asked: false, connection: 'close' });
  });
});
