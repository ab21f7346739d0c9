import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { AlarmsWorker } from '../../../src/operations/alarms/alarms.worker.js';
import { ThisProcess } from '../../../src/platform/platform/this-process.js';
import { MINUTE, nowhere } from '../../support/environment.js';
import { signedHeaders } from '../../support/signed-message.js';
import { TestApp } from '../../support/test-app.js';
import { until } from '../../support/until.js';
import { countOf, deliver } from './support/deliveries.js';

/** Longer than what is read with the others. */
const long = JSON.stringify({ more: 'x'.repeat(300_000) });

describe('a delivery through a proxy that streams', () => {
  let app: TestApp;

  beforeEach(async () => {
    app = await TestApp.create({ upstream: { url: nowhere }, webhooks: false });
  });

  afterEach(() => app.close());

  /** Sends a signed body without a length; resolves with the status. */
  function streamed(id: string, body: string, at = app.clock.now()): Promise<number | undefined> {
    return new Promise((resolve, reject) => {
      const headers = { ...signedHeaders(id, at, body), 'transfer-encoding': 'chunked' };
      const sent = httpRequest(`${app.url}/webhooks`, { method: 'POST', headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }

  const signs = (): string[] => Object.keys(app.get(ThisProcess).signs(app.clock.now()));

  it('does not wait for an unsigned body that stalls', async () => {
    const lines = Object.entries({
      ...signedHeaders('msg_stalled', app.clock.now(), '{}'),
      'svix-signature': `v1,${'A'.repeat(43)}=`,
    }).map(([name, value]) => `${name}: ${value}\r\n`);
    const start = `POST /webhooks HTTP/1.1\r\nhost: x\r\n${lines.join('')}`;
    const stalled: Socket[] = [];
    for (const rest of ['transfer-encoding: chunked\r\n\r\n1\r\n{\r\n', 'content-length: 5000000\r\n\r\n{']) {
      for (let count = 0; count < 5; count++) {
        const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
        stalled.push(socket);
        await once(socket, 'connect');
        socket.write(start + rest);
      }
    }
    await until(async () => {
      await app.figures();
      return (await app.metric('body_bytes')) === 10;
    });
    expect(await streamed('msg_short', '{}')).toBe(204);
    expect(await streamed('msg_long', long)).toBe(204);
    expect(await deliver(app, long)).toBe(204);
    expect(await countOf(app, 'messages')).toBe(3);
    for (const socket of stalled) socket.destroy();
  });

  it('shows that the clock is wrong', async () => {
    const early = app.clock.now() - 10 * MINUTE;
    for (const id of ['one', 'two', 'three']) expect(await streamed(id, '{}', early)).toBe(401);
    expect(signs()).toEqual(['deliveries_untimely']);
  });

  it('is refused if the proxy compressed it', async () => {
    expect(await deliver(app, '{}', { headers: { 'content-encoding': 'gzip' } })).toBe(415);
    expect(await countOf(app, 'messages')).toBe(0);
  });
});

describe('a delivery to a wrong path', () => {
  it('is counted, and several raise an alarm until one is accepted; nothing is stored', async () => {
    const app = await TestApp.create({ upstream: { url: nowhere }, webhooks: false });
    for (const path of ['/webhooks/', '/Webhooks', '/api/webhooks']) {
      const headers = signedHeaders('msg_astray', app.clock.now(), '{}');
      const { status } = await fetch(`${app.url}${path}`, { method: 'POST', headers, body: '{}' });
      expect(status).toBe(404);
    }
    await fetch(`${app.url}/webhooks/`, { method: 'POST', body: '{}' });
    expect(await app.metric('messages_received_total', { outcome: 'not_found' })).toBe(3);
    const raised = async (): Promise<string[]> => {
      await app.run(AlarmsWorker);
      const { body } = await app.admin<{ data: { code: string }[] }>('GET', '/alarms');
      return body.data.map(({ code }) => code);
    };
    expect(await raised()).toContain('deliveries_misaddressed');
    expect(await countOf(app, 'messages')).toBe(0);
    expect(await deliver(app, '{}')).toBe(204);
    expect(await raised()).not.toContain('deliveries_misaddressed');
    await app.close();
  });
});
