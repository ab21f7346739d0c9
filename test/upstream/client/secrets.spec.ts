import { inspect } from 'node:util';
import { describeError } from '../../../src/platform/platform/errors.js';
import type { UpstreamClient } from '../../../src/upstream/client/upstream.client.js';
import { apiKey, type ClientUnderTest, clientFor, errorOf } from './support/client.js';
import { type Answer, hangUp, json, ScriptedServer, silence, text } from './support/scripted-server.js';

const mark = 'CANARY';
const userId = '00000000-0000-4000-8000-00000ca9a9e5';
const bulk = { priority: 'bulk' } as const;

const answers: [name: string, answer: Answer][] = [
  ['a text', json(400, { detail: `${mark} text` })],
  ['a typed refusal', json(400, { detail: { error_type: `${mark} type`, error_message: `${mark} message` } })],
  ['validation items', json(422, { detail: [{ loc: ['body', `${mark} key`], msg: mark, type: mark, input: mark }] })],
  ['an order refusal', json(400, { error: mark, message: mark, status_code: 400 })],
  ['a refresh refusal', json(400, { success: false, user_id: mark, error: mark })],
  ['plain text', text(500, `${mark} stack trace`)],
  ['throttling', json(429, { detail: mark }, { 'retry-after': mark, 'x-request-id': mark })],
  ['a redirect', json(307, { detail: mark }, { location: `http://127.0.0.1/${mark}` })],
  ['broken JSON', text(200, `{"user_id": "${mark}`)],
  ['a shape without ids', json(200, { mark, user_id: { mark } })],
  ['a closed line', hangUp],
  ['silence', silence],
  [
    'half an answer',
    (response) => {
      response.writeHead(200, { 'content-length': 500 }).write(`{"${mark}":`);
      setImmediate(() => response.destroy());
    },
  ],
];

const calls: [name: string, call: (client: UpstreamClient) => Promise<unknown>][] = [
  ['resolveUser', (client) => client.resolveUser(`${mark}-id`, bulk)],
  ['createUser', (client) => client.createUser({ client_user_id: `${mark}-id` }, bulk)],
  ['createSignInToken', (client) => client.createSignInToken(userId, bulk)],
  [
    'timeseriesPage',
    (client) => client.timeseriesPage(userId, 'hrv', { start: 0, end: 1, cursor: `${mark}-cursor` }, bulk),
  ],
  ['createOrder', (client) => client.createOrder({ patient_details: { email: mark } }, `${mark}-key`, bulk)],
  ['orderResultPdf', (client) => client.orderResultPdf(`${mark}-order`, bulk)],
  ['transactionResultPdf', (client) => client.transactionResultPdf(`${mark}-transaction`, bulk)],
];

function everythingShown(error: Error): string {
  return [
    String(error),
    error.stack,
    JSON.stringify(error),
    JSON.stringify(describeError(error)),
    inspect(error, { depth: 10, showHidden: true }),
  ].join('\n');
}

describe('no secret, text, body, header or id', () => {
  let server: ScriptedServer;
  let underTest: ClientUnderTest;

  beforeEach(async () => {
    server = await ScriptedServer.start();
    underTest = clientFor(server.url, { timeoutMs: 250 });
  });
  afterEach(async () => {
    underTest.transport.onApplicationShutdown();
    await server.close();
  });

  describe.each(calls)('is in errors, logs and metrics of %s [environments#authentication]', (_, call) => {
    it.each(answers)('after %s', async (_name, answer) => {
      server.answer(answer);
      const error = await errorOf(call(underTest.client));
      const port = new URL(server.url).port;
      const shown = everythingShown(error) + underTest.logged.join('') + (await underTest.metrics.registry.metrics());
      for (const secret of [mark, apiKey, userId, `:${port}`]) expect(shown).not.toContain(secret);
      expect(error.cause).toBeUndefined();
      expect(underTest.logged.join('')).toContain('upstream.request_failed');
    });
  });

  it('is in the client itself when it is inspected', () => {
    const shown = inspect(underTest.client, { depth: 10, showHidden: true });
    expect(shown).not.toContain(apiKey);
  });

  it('is in the error of a dead address', async () => {
    const { client } = clientFor(server.url);
    await server.close();
    const error = await errorOf(client.resolveUser(`${mark}-id`, bulk));
    expect(error).toMatchObject({ kind: 'unavailable', reason: 'network' });
    for (const secret of [mark, apiKey]) expect(everythingShown(error)).not.toContain(secret);
    server = await ScriptedServer.start();
  });
});
