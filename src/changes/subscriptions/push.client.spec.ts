import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { stopTimers } from '../../../test/support/stop-timers.js';
import { PushConfig } from '../../platform/config/config.js';
import { SystemClock } from '../../platform/platform/clock.js';
import { NetworkGate } from '../../platform/platform/network-gate.js';
import { PushClient } from './push.client.js';

describe('the client of pushes', () => {
  let server: Server;
  let calls: { path: string; body: string }[];
  let answer: RequestListener;
  let client: PushClient;
  const gate = new NetworkGate();

  beforeEach(async () => {
    calls = [];
    answer = (_request, response) => void response.writeHead(204).end();
    server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += String(chunk)));
      request.on('end', () => {
        calls.push({ path: request.url ?? '', body });
        answer(request, response);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    client = clientOf(['127.0.0.1']);
  });

  afterEach(async () => {
    client.onApplicationShutdown();
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  function clientOf(allowedNetworks: string[]): PushClient {
    return new PushClient(
      new PushConfig({ signingKeys: [], brokerLogins: [], pagerDutyRoutingKey: undefined, allowedNetworks }),
      gate,
      new SystemClock(),
    );
  }

  const port = (): number => (server.address() as AddressInfo).port;
  const send = (url = `http://127.0.0.1:${port()}/hook?a=1`, by = client) =>
    by.send({ url, body: '{"a":"ü"}', contentType: 'application/json', headers: { 'webhook-id': 'x' } });

  it('sends the body once', async () => {
    expect(await send()).toMatchObject({ error: null, status: 204 });
    expect(calls).toEqual([{ path: '/hook?a=1', body: '{"a":"ü"}' }]);
  });

  it('does not follow a redirect', async () => {
    answer = (_request, response) => void response.writeHead(307, { location: '/elsewhere' }).end();
    expect(await send()).toMatchObject({ error: 'redirect', status: 307 });
    expect(calls).toHaveLength(1);
  });

  it('does not wait for a receiver that hangs', async () => {
    answer = () => undefined;
    client.timeoutMs = 30;
    expect(await send()).toMatchObject({ error: 'timeout', status: null });
  });

  it('does not read an endless response', async () => {
    answer = (_request, response) => {
      response.writeHead(200);
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(16_384))) continue;
      };
      response.on('drain', more);
      more();
    };
    expect(await send()).toMatchObject({ error: null, status: 200 });
  });

  it('uses the status of a response whose body does not end', async () => {
    answer = (_request, response) => void response.writeHead(200).write('x');
    stopTimers();
    const endTime = (): void => void setImmediate(() => jest.advanceTimersByTime(client.timeoutMs));
    subscribe('http.client.response.finish', endTime);
    expect(await send()).toMatchObject({ error: null, status: 200 });
    unsubscribe('http.client.response.finish', endTime);
    jest.useRealTimers();
  });

  it.each(['at once', 'later'])('uses the status of a 204 that has a body (%s), and goes on', async (when) => {
    answer = ({ socket }) => {
      const head = 'HTTP/1.1 204 No Content\r\ncontent-length: 5\r\n\r\n';
      socket.write(when === 'later' ? head : `${head}hello`, () => when === 'later' && socket.write('hello'));
    };
    expect(await send()).toMatchObject({ error: null, status: 204 });
    answer = (_request, response) => void response.writeHead(200).end();
    const next = await send();
    expect(next.error === null || next.error === 'connection').toBe(true);
    expect(await send()).toMatchObject({ error: null, status: 200 });
  });

  it('gives a trickling response no more time than a hanging one', async () => {
    let timer: NodeJS.Timeout | undefined;
    answer = ({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      let count = 0;
      timer = setInterval(() => socket.write(`x-${(count += 1)}: 1\r\n`), 5);
    };
    client.timeoutMs = 60;
    expect(await send()).toMatchObject({ error: 'timeout', status: null });
    clearInterval(timer);
  });

  it('goes on after a response that switches protocols', async () => {
    answer = (_request, response) => {
      response.writeHead(101, { connection: 'upgrade', upgrade: 'other' }).flushHeaders();
    };
    expect(await send()).toMatchObject({ error: 'status', status: 101 });
  });

  it('keeps the pause that a failure requests', async () => {
    answer = (_request, response) => void response.writeHead(503, { 'retry-after': '7' }).end('busy');
    expect(await send()).toMatchObject({ error: 'status', status: 503, retryAfterMs: 7_000 });
  });

  it('reports that nothing listens', async () => {
    expect(await send('http://127.0.0.1:9/')).toMatchObject({ error: 'connection', status: null });
  });

  it('connects only to allowed addresses, in whatever form they are written', async () => {
    const closed = clientOf([]);
    for (const host of ['127.0.0.1', 'localhost', '[::1]']) {
      expect(await send(`https://${host}:${port()}/`, closed)).toMatchObject({ error: 'address_refused' });
    }
    // http may connect to allowed addresses only, and the name resolves to another one.
    const other = clientOf(['10.0.0.0/8']);
    expect(await send(`http://localhost:${port()}/`, other)).toMatchObject({ error: 'address_refused' });
    expect(calls).toEqual([]);
  });

  it('reuses a connection, even if the receiver has just closed it', async () => {
    await send();
    server.closeIdleConnections();
    expect(await send()).toMatchObject({ error: null });
    expect(calls).toHaveLength(2);
  });

  it('uses no kept connection after a push that failed, because the receiver may have moved', async () => {
    const opened: unknown[] = [];
    server.on('connection', (socket) => void opened.push(socket));
    await Promise.all([send(), send()]);
    expect(opened).toHaveLength(2);
    answer = (_request, response) => void response.writeHead(404).end();
    await send();
    expect(opened).toHaveLength(2);
    answer = (_request, response) => void response.writeHead(204).end();
    expect(await send()).toMatchObject({ error: null });
    expect(opened).toHaveLength(3);
  });

  it('replaces several connections that the receiver has just closed', async () => {
    await Promise.all([send(), send(), send()]);
    server.closeIdleConnections();
    expect(await send()).toMatchObject({ error: null });
  });

  it('is refused inside a write transaction', async () => {
    const closed = new NetworkGate();
    closed.closeWhen(() => true);
    const inside = new PushClient(
      new PushConfig({ signingKeys: [], brokerLogins: [], pagerDutyRoutingKey: undefined, allowedNetworks: [] }),
      closed,
      new SystemClock(),
    );
    await expect(send(undefined, inside)).rejects.toThrow('inside a write transaction');
  });
});
