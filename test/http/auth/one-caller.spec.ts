import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { OpenAPIObject } from '@nestjs/swagger';
import { limitOf, places } from '../../../src/http/auth/limits.js';
import { limitNames } from '../../../src/http/server/route-facts.js';
import { AlarmsWorker } from '../../../src/operations/alarms/alarms.worker.js';
import { ThisProcess } from '../../../src/platform/platform/this-process.js';
import { near } from '../../labs/catalogue/support/slots.js';
import { nowhere, SECOND, START } from '../../support/environment.js';
import { signedMessage } from '../../support/signed-message.js';
import { TestApp } from '../../support/test-app.js';
import { toldFacts } from '../../support/told-facts.js';
import { until } from '../../support/until.js';
import { json, ScriptedServer } from '../../upstream/client/support/scripted-server.js';

const forged = {
  ...signedMessage('msg_forged', '{}', undefined, START).headers,
  'svix-signature': `v1,${'A'.repeat(43)}=`,
};

/** The head of a request; `content-length` is its last line unless `framing` is another. */
function head(line: string, headers: Readonly<Record<string, string>>, framing = 'content-length: 0'): string {
  const lines = Object.entries({ host: 'x', ...headers }).map(([name, value]) => `${name}: ${value}`);
  return `${[`${line} HTTP/1.1`, ...lines, framing].join('\r\n')}\r\n\r\n`;
}

describe('a caller who hangs up, or sends slowly', () => {
  let app: TestApp;
  let sockets: Socket[];
  let bearer: { authorization: string };

  beforeEach(async () => {
    sockets = [];
    app = await TestApp.create();
    bearer = { authorization: `Bearer ${await app.appToken('greedy')}` };
    await app.as('greedy', 'POST', '/me/sign-in-token', {});
    await app.as('patient', 'POST', '/me/sign-in-token', {});
  });

  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await app.close();
  });

  async function sends(text: string): Promise<Socket> {
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(text);
    return socket;
  }

  const held = async (): Promise<number> => {
    await app.figures();
    const figures = limitNames.flatMap((limit) => [
      app.metric('requests_waiting', { limit }),
      app.metric('requests_running', { limit }),
    ]);
    const counts = await Promise.all([app.metric('body_bytes'), ...figures]);
    return counts.reduce((sum, count) => sum + count, 0);
  };

  it('leaves nothing behind after any number of pipelined requests', async () => {
    const key = { authorization: 'Bearer monitor-key' };
    const body = (bytes: number) => `content-length: ${bytes}`;
    const mixes = [
      head('POST /webhooks', forged, body(20_000)) + 'x'.repeat(20_000),
      head('POST /webhooks', forged, 'transfer-encoding: chunked') + '0\r\n\r\n',
      head('GET /v1/me', bearer),
      head('POST /v1/me/sign-in-token', { ...bearer, 'content-type': 'application/json' }, body(2)) + '{}',
      head('GET /admin/v1/overview', key),
    ];
    const unfinished = head('POST /webhooks', forged, body(5_000_000)) + 'x'.repeat(1_000);
    for (const mix of mixes) {
      for (const text of [mix.repeat(30), mix.repeat(3) + unfinished, mix.repeat(200)]) {
        const socket = await sends(text);
        await until(async () => socket.destroyed || socket.writableLength === 0);
        socket.resetAndDestroy();
      }
    }
    await until(async () => (await held()) === 0);
    expect((await app.as('patient', 'GET', '/me')).status).toBe(200);
    await until(async () => (await held()) === 0);
  });

  it('gets the responses to pipelined requests in order', async () => {
    const delivery = signedMessage('msg_ahead', '{}', undefined, START);
    const socket = await sends(
      head('GET /v1/me', bearer) +
        head('POST /webhooks', delivery.headers, 'content-length: 2') +
        delivery.body +
        head('GET /nothing', {}) +
        head('GET /livez', { connection: 'close' }),
    );
    let received = '';
    socket.on('data', (chunk) => (received += chunk.toString()));
    await once(socket, 'close');
    expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['200', '204', '404', '200'].map((code) => `HTTP/1.1 ${code}`));
  });

  it('takes no place while a body is incomplete', async () => {
    const unfinished = head(
      'POST /v1/me/link-outcomes',
      { ...bearer, 'content-type': 'application/json' },
      'content-length: 200',
    );
    for (let count = 0; count < places.requests.atOnce; count++) await sends(`${unfinished}{`);
    await until(async () => (await held()) === places.requests.atOnce);
    expect((await app.as('patient', 'GET', '/me')).status).toBe(200);
    expect(await app.metric('requests_waiting', { limit: 'requests' })).toBe(0);
  });
});

describe('limits', () => {
  it.each(limitNames)('leave three quarters of the waiting room of %s to other callers', (name) => {
    expect(places[name].share).toBeLessThanOrEqual(places[name].waiting / 4);
    expect(places[name].atOnce % 4).toBe(0);
  });

  it('keep routes that always wait for upstream apart from all others', async () => {
    const app = await TestApp.create({ upstream: { url: nowhere } });
    const { paths } = (await app.call<OpenAPIObject>('GET', '/openapi.json')).body;
    const facts = toldFacts(app);
    await app.close();
    type Operation = { operationId: string; responses: Record<string, { description: string }> };
    const found = Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item as Record<string, Operation>).flatMap(([method, { operationId, responses }]) => {
        const route = path.replaceAll(/\{(\w+)\}/g, ':$1');
        const waits = /\bupstream_unavailable\b/.test(responses['503']?.description ?? '');
        const limit = limitOf(facts.get(operationId) ?? {});
        return waits && (limit === 'requests' || limit === 'keys') ? [`${method} ${route}`] : [];
      }),
    );
    // These wait only for the upstream user of a new account.
    const reads = ['', '/today', '/latest', '/daily', '/hourly', '/explain', '/records/:resource'].map(
      (path) => `get /v1/me${path}`,
    );
    expect(found).toEqual(['post /v1/me/link-outcomes', ...reads]);
  });
});

describe('callers who wait because all places are taken', () => {
  it('raise an alarm', async () => {
    const upstream = await ScriptedServer.start();
    let letGo: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (letGo = resolve));
    upstream.answer(async (response, received) => {
      await released;
      await json(200, { slots: [], timezone: null })(response, received);
    });
    const app = await TestApp.create({ upstream });
    const search = (account: string, index: number) =>
      app.as(account, 'POST', '/labs/availability', { ...near, zip_code: String(10_001 + index) });
    const callers = ['a', 'b', 'c', 'd'];
    const busy = Array.from({ length: places.labs.atOnce }, (_, index) => search(callers[index % 4] ?? 'a', index));
    const figure = async (name: string): Promise<number> => {
      await app.figures();
      return app.metric(name, { limit: 'labs' });
    };
    await until(async () => (await figure('requests_running')) === places.labs.atOnce);
    const late = search('e', 50);
    await until(async () => (await figure('requests_waiting')) === 1);
    app.clock.advance(3 * SECOND);
    letGo();
    await Promise.all([...busy, late]);
    expect(app.get(ThisProcess).signs(app.clock.now())).toHaveProperty('callers_waiting');
    await app.run(AlarmsWorker);
    expect((await app.admin<{ data: { code: string }[] }>('GET', '/alarms')).body.data).toContainEqual(
      expect.objectContaining({ code: 'callers_waiting' }),
    );
    await app.close();
    await upstream.close();
  });
});
