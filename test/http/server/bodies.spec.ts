import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import Fastify, { type FastifyInstance } from 'fastify';
import { BodyRoom, registerBodyRoom } from '../../../src/http/server/body-room.js';
import { toProblem } from '../../../src/http/server/problem.filter.js';
import type { RouteFacts } from '../../../src/http/server/route-facts.js';
import { Metrics } from '../../../src/platform/platform/metrics.js';
import { nowhere, SECOND, webhookSecret } from '../../support/environment.js';
import { signedMessage } from '../../support/signed-message.js';
import { TestApp } from '../../support/test-app.js';
import { until } from '../../support/until.js';

const portOf = (fastify: FastifyInstance): number => (fastify.server.address() as { port: number }).port;

/** Sends a text and answers the connection; what comes back is in `received`. */
async function sends(port: number, text: string): Promise<{ socket: Socket; received: () => string }> {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => (received += chunk.toString()));
  await once(socket, 'connect');
  socket.write(text);
  return { socket, received: () => received };
}

const post = (length: number, sent: number): string =>
  `POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/octet-stream\r\ncontent-length: ${length}\r\n\r\n${'x'.repeat(sent)}`;

describe('room for bodies', () => {
  let fastify: FastifyInstance;
  let metrics: Metrics;

  beforeEach(async () => {
    metrics = new Metrics();
    fastify = Fastify();
    fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    fastify.setErrorHandler((error, request, reply) => {
      const { status, headers, body } = toProblem(error, request.id);
      return reply.code(status).headers(headers).send(body);
    });
    registerBodyRoom(fastify, new BodyRoom(metrics, 10_000), new BodyRoom(metrics, 50_000, 'form'));
    const facts: RouteFacts = { takesForm: true };
    fastify.post('/lab-reports', { config: { ...facts } }, async (request) => ({
      bytes: (request.body as Buffer).length,
    }));
    fastify.post('/', async (request) => ({ bytes: (request.body as Buffer).length }));
    await fastify.listen({ port: 0, host: '127.0.0.1' });
  });

  afterEach(() => fastify.close());

  const held = async (): Promise<number> => {
    await metrics.text();
    return (await metrics.registry.getSingleMetric('pulsekeep_body_bytes')?.get())?.values[0]?.value ?? 0;
  };

  it('is made by cutting off the oldest upload with a 503', async () => {
    const slow = [];
    for (let count = 1; count <= 3; count++) {
      slow.push(await sends(portOf(fastify), post(4_000, 3_000)));
      await until(async () => (await held()) === count * 3_000);
    }
    const quick = await sends(portOf(fastify), post(2_000, 2_000));
    await until(async () => quick.received().includes('{"bytes":2000}'));
    const [oldest, ...others] = slow;
    await until(async () => oldest?.received().includes('503') === true && oldest.socket.destroyed);
    expect(oldest?.received()).toMatch(/retry-after: 5\r\n[\s\S]*"code":"busy"/);
    for (const { socket, received } of others) {
      socket.write('x'.repeat(1_000));
      await until(async () => received().includes('{"bytes":4000}'));
    }
    for (const { socket } of [quick, ...others]) socket.destroy();
    await until(async () => (await held()) === 0);
  });

  it('of forms is apart, so that a large file cuts off nobody else', async () => {
    const form = await sends(portOf(fastify), post(40_000, 39_000).replace('POST / ', 'POST /lab-reports '));
    const forms = async (): Promise<number> =>
      (await metrics.registry.getSingleMetric('pulsekeep_form_bytes')?.get())?.values[0]?.value ?? 0;
    await until(async () => (await held()) === 0 && (await forms()) === 39_000);
    const other = await sends(portOf(fastify), post(9_000, 9_000));
    await until(async () => other.received().includes('{"bytes":9000}'));
    form.socket.write('x'.repeat(1_000));
    await until(async () => form.received().includes('{"bytes":40000}'));
    for (const { socket } of [form, other]) socket.destroy();
  });

  it('is freed by a client that disconnects, and a single body that is too large is refused', async () => {
    const gone = await sends(portOf(fastify), post(9_000, 8_000));
    await until(async () => (await held()) === 8_000);
    gone.socket.destroy();
    await until(async () => (await held()) === 0);
    const large = await sends(portOf(fastify), post(20_000, 20_000));
    await until(async () => large.socket.destroyed);
    expect(large.received()).toContain('"code":"busy"');
    await until(async () => (await held()) === 0);
  });
});

describe('a delivery whose headers show that it would be refused', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await TestApp.create({ upstream: { url: nowhere } });
  });

  afterAll(() => app.close());

  /** The answer to a head alone: its body never comes. */
  function answerTo(headers: Record<string, string | number>): Promise<number | undefined> {
    return new Promise((resolve, reject) => {
      const sent = httpRequest(`${app.url}/webhooks`, { method: 'POST', headers }, (response) => {
        resolve(response.statusCode);
        sent.destroy();
      });
      sent.on('error', reject);
      sent.flushHeaders();
    });
  }

  const { headers } = signedMessage('msg_head', '{}', webhookSecret, 0);
  const signed = (at: number): Record<string, string> => signedMessage('msg_head', '{}', webhookSecret, at).headers;
  const large = { 'content-length': 5_000_000 };

  it.each<[string, number, () => Record<string, string | number>]>([
    ['no signature headers', 400, () => ({ 'content-length': 100 })],
    [
      'an id that is none',
      400,
      () => ({ ...signed(app.clock.now()), ...large, 'svix-id': 'a b', 'webhook-id': 'a b' }),
    ],
    ['no signature of our kind', 401, () => withSignature('v2,abc')],
    ['a signature that is too short', 401, () => withSignature('v1,YWJj')],
    ['a long body and a time long ago', 401, () => ({ ...signed(app.clock.now() - 301 * SECOND), ...large })],
    ['a body longer than may be', 413, () => ({ ...signed(app.clock.now()), 'content-length': 5_242_881 })],
  ])('is refused without reading its body: %s, %i', async (...given) => {
    const [, status, make] = given;
    expect(await answerTo(make())).toBe(status);
  });

  function withSignature(signature: string): Record<string, string | number> {
    const names = Object.keys(headers).filter((name) => name.endsWith('-signature'));
    return { ...signed(app.clock.now()), ...large, ...Object.fromEntries(names.map((name) => [name, signature])) };
  }

  it('is read if it is short and only late, because it may be signed and the clock wrong', async () => {
    for (let count = 0; count < 3; count++) {
      const late = signedMessage(`msg_late_${count}`, '{}', webhookSecret, app.clock.now() - 301 * SECOND);
      const answer = await fetch(`${app.url}/webhooks`, { method: 'POST', headers: late.headers, body: late.body });
      expect(answer.status).toBe(401);
    }
  });
});
