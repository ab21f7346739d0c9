import { once } from 'node:events';
import { connect } from 'node:net';
import { nowhere } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';

describe('requests as proxies and unusual clients send them', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await TestApp.create({ upstream: { url: nowhere }, env: { HTTP_KEEP_ALIVE_SECONDS: '700' } });
  });

  afterAll(() => app.close());

  /** Sends text on its own connection; resolves with all that came back when it has closed. */
  async function sent(text: string): Promise<string> {
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
    let received = '';
    socket.on('data', (chunk) => (received += chunk.toString()));
    socket.write(text);
    await once(socket, 'close');
    return received;
  }

  const raw = (line: string, headers: readonly string[], body = ''): Promise<string> =>
    sent(`${[`${line} HTTP/1.1`, 'host: x', 'connection: close', ...headers].join('\r\n')}\r\n\r\n${body}`);

  const statusOf = (received: string): number => Number(received.split(' ')[1]);
  const key = 'authorization: Bearer operator-key';

  it.each([
    ['GET http://pulsekeep.internal/livez', 200],
    ['GET https://pulsekeep.internal:8443/livez', 200],
    ['GET http://pulsekeep.internal', 404],
    ['GET http://pulsekeep.internal?probe=1', 404],
    ['GET ftp://pulsekeep.internal/livez', 404],
  ])('may name the host in the target: %s', async (line, status) => {
    expect(statusOf(await raw(line, []))).toBe(status);
  });

  it.each([
    ['nothing', [], ''],
    ['length 0', ['content-length: 0'], ''],
    ['one empty chunk', ['transfer-encoding: chunked'], '0\r\n\r\n'],
    ['one empty chunk and a type', ['transfer-encoding: chunked', 'content-type: application/json'], '0\r\n\r\n'],
  ])('have no body if they send no bytes: %s', async (_name, framing, body) => {
    expect(statusOf(await raw('POST /admin/v1/accounts/import', [key, ...framing], body))).toBe(202);
    expect(statusOf(await raw('DELETE /admin/v1/accounts/nobody', [key, ...framing], body))).toBe(404);
    expect(statusOf(await raw('GET /admin/v1/accounts', [key, ...framing], body))).toBe(200);
  });

  it.each([
    ['bytes without a type', ['transfer-encoding: chunked'], '2\r\n{}\r\n0\r\n\r\n'],
    ['another type', ['content-length: 2', 'content-type: text/plain'], '{}'],
    ['a content encoding', ['content-length: 2', 'content-type: application/json', 'content-encoding: gzip'], '{}'],
  ])('are refused with 415 for %s', async (_name, framing, body) => {
    expect(statusOf(await raw('POST /admin/v1/accounts', [key, ...framing], body))).toBe(415);
  });

  it.each([
    ['a line that is none', 'GET /livez x y\r\n\r\n', 400, 'invalid_request'],
    ['headers over the limit', `GET /livez HTTP/1.1\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'headers_too_large'],
  ])('are refused as a problem for %s', async (_name, text, status, code) => {
    const [head = '', body = ''] = (await sent(text)).split('\r\n\r\n');
    expect(statusOf(head)).toBe(status);
    expect(head).toContain('\r\ncontent-type: application/problem+json\r\n');
    const problem = JSON.parse(body) as { request_id: string };
    expect(problem).toMatchObject({ status, code });
    expect(head).toContain(`\r\nx-request-id: ${problem.request_id}\r\n`);
    expect(head).toContain(`\r\ncontent-length: ${body.length}`);
  });

  it('that are malformed after a response has begun add nothing to it', async () => {
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
    const stream = [
      'GET /v1/changes?kinds=order HTTP/1.1',
      'host: x',
      'accept: text/event-stream',
      'authorization: Bearer feed-key',
    ];
    socket.write(`${stream.join('\r\n')}\r\n\r\n`);
    const [begun] = (await once(socket, 'data')) as [Buffer];
    expect(statusOf(begun.toString())).toBe(200);
    let more = '';
    socket.on('data', (chunk) => (more += chunk.toString()));
    socket.write('malformed\r\n\r\n');
    await once(socket, 'close');
    expect(more).not.toContain('HTTP/1.1');
  });

  it('keep their connection as long as configured', () => {
    const { server } = app.pulsekeep.app.getHttpAdapter().getInstance();
    expect(server.keepAliveTimeout).toBe(700_000);
  });

  it('learn how to write a time with an offset', async () => {
    const { body } = await app.admin('GET', '/access-log?start=2026-10-01T00:00:00+02:00');
    expect(JSON.stringify(body)).toContain('in a URL write + as %2B');
  });
});
