import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { takesGzip } from '../../src/server/compression.js';
import { TestApp } from '../support/test-app.js';

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

  it('an answer that is long leaves compressed for those who take that, and as it is for others', async () => {
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

  it('an answer that the access log records is compressed as well', async () => {
    const headers = { 'accept-encoding': 'gzip', authorization: 'Bearer operator-key' };
    for (let count = 0; count < 12; count++) await raw('GET', '/admin/v1/access-log', headers);
    const entries = await raw('GET', '/admin/v1/access-log', headers);
    expect(entries.headers['content-encoding']).toBe('gzip');
    const { data } = JSON.parse(gunzipSync(entries.body).toString()) as { data: unknown[] };
    expect(data.length).toBeGreaterThanOrEqual(12);
  });

  it('a token never leaves compressed, nor does a short answer', async () => {
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
  ])('gzip is taken by %j: %s', (header, taken) => {
    expect(takesGzip(header)).toBe(taken);
  });

  it('a trace goes into the lines of the log, and one that is none into nothing', async () => {
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
  it('is a step of its own in the trace of the request that made it, and in none where there is none', async () => {
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
