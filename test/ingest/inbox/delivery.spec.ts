// .ci/run runs this on PostgreSQL too: its outcome depends on the database.
import { connect } from 'node:net';
import { InboxService } from '../../../src/ingest/inbox/inbox.service.js';
import { START } from '../../support/environment.js';
import { signedHeaders } from '../../support/signed-message.js';
import { TestApp } from '../../support/test-app.js';
import { countOf, deliver, emptyInbox, messagesOf, processed, withoutTable } from './support/deliveries.js';

const head = 'POST /webhooks HTTP/1.1\r\nhost: x\r\n';
const problemType = 'application/problem+json';

describe('POST /webhooks', () => {
  let inbox: TestApp;

  beforeAll(async () => {
    inbox = await TestApp.create({ env: { WEBHOOK_MAX_BYTES: '20000' }, webhooks: false });
  });

  beforeEach(async () => {
    inbox.clock.set(START);
    await emptyInbox(inbox);
  });

  afterAll(() => inbox.close());

  it('stores the exact bytes before it returns 204, without reading them [webhooks#receiver]', async () => {
    const body = Buffer.from('{"event_type" :\t"daily.data.sleep.created","x":"\\u00fc\u00fc", "x":2}\r\n');
    expect(await deliver(inbox, body, { id: 'msg_a' })).toBe(204);
    const [stored] = await inbox.store.reader.rows<Record<string, unknown>>(
      'SELECT m.*, b.body FROM messages m JOIN message_bodies b ON b.seq = m.seq',
    );
    expect(stored).toMatchObject({
      message_id: 'msg_a',
      status: 'received',
      received_at: START,
      sent_at: START,
      due_at: START,
      attempts: 0,
      event_type: null,
      account_id: null,
      lease_owner: null,
      size: body.length,
    });
    expect(body.equals(stored?.['body'] as Buffer)).toBe(true);
  });

  it('returns 204 again for the same id and keeps the first [webhooks#headers] [webhooks#no-delete-events]', async () => {
    expect(await deliver(inbox, 'first', { id: 'msg_a' })).toBe(204);
    inbox.clock.advance(5_000);
    expect(await deliver(inbox, 'second', { id: 'msg_a' })).toBe(204);
    expect(await messagesOf(inbox).all()).toMatchObject([{ message_id: 'msg_a', size: 5, received_at: START }]);
    expect(await countOf(inbox, 'message_bodies')).toBe(1);
  });

  it('keeps the first of several sequential deliveries', async () => {
    await deliver(inbox, 'first', { id: 'msg_a' });
    const [first] = await messagesOf(inbox).all();
    await deliver(inbox, 'second', { id: 'msg_a' });
    await deliver(inbox, 'other', { id: 'msg_b' });
    const [kept, other] = await messagesOf(inbox).all();
    expect([kept, other?.message_id, other?.size]).toEqual([first, 'msg_b', 5]);
    expect(await countOf(inbox, 'message_bodies')).toBe(2);
  });

  it('stores one message of a hundred simultaneous deliveries', async () => {
    const counted = async (): Promise<readonly number[]> => [
      await inbox.metric('messages_received_total', { outcome: 'accepted' }),
      await inbox.metric('messages_duplicate_total'),
    ];
    const [accepted = 0, known = 0] = await counted();
    const statuses = await Promise.all(Array.from({ length: 100 }, () => deliver(inbox, { a: 1 }, { id: 'msg_a' })));
    expect(new Set(statuses)).toEqual(new Set([204]));
    expect(await messagesOf(inbox).all()).toHaveLength(1);
    expect(await counted()).toEqual([accepted + 100, known + 99]);
  });

  it('stores all of many simultaneous messages, some of them sent twice', async () => {
    const ids = Array.from({ length: 300 }, (_, index) => `msg_${index % 240}`);
    const statuses = await Promise.all(ids.map((id) => deliver(inbox, { id }, { id })));
    expect(new Set(statuses)).toEqual(new Set([204]));
    expect(await messagesOf(inbox).all()).toHaveLength(240);
  });

  it('accepts the unbranded header names [webhooks#headers]', async () => {
    const signed = signedHeaders('msg_a', START, '{}');
    const headers = Object.fromEntries(
      Object.entries(signed).map(([name, value]) => [name.replace('svix', 'webhook'), value]),
    );
    expect((await inbox.call('POST', '/webhooks', headers, '{}')).status).toBe(204);
    expect(await messagesOf(inbox).all()).toHaveLength(1);
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'garbage',
    ';;',
    'a/b/c',
  ])('accepts a body of the type %s', async (type) => {
    expect(await deliver(inbox, '{"event_type":1}', { id: 'msg_a', headers: { 'content-type': type } })).toBe(204);
    expect(await messagesOf(inbox).byId('msg_a')).toMatchObject({ size: 16 });
  });

  it.each([
    ['nothing', 'ignored', ''],
    ['no JSON', 'ignored', '{"event_type":'],
    ['bytes that are no text', 'ignored', Buffer.from([0xff, 0xfe, 0x00, 0x80])],
    ['a prototype', 'ignored', '{"__proto__":{"event_type":"x"},"constructor":1}'],
    ['a list', 'ignored', '[[[[]]]]'],
    ['deep nesting', 'dead', '['.repeat(9_000)],
  ])('accepts a verified body that is %s', async (_name, status, body) => {
    expect(await deliver(inbox, body, { id: 'msg_a' })).toBe(204);
    await processed(inbox);
    expect(await messagesOf(inbox).byId('msg_a')).toMatchObject({
      status,
      due_at: null,
      finished_at: START,
    });
  });

  it.each(['svix-id', 'svix-timestamp', 'svix-signature'])('returns 400 without %s', async (name) => {
    const signed = signedHeaders('msg_a', START, '{}');
    delete signed[name];
    const answer = await inbox.call('POST', '/webhooks', signed, '{}');
    expect(answer.status).toBe(400);
    expect(answer.headers['content-type']).toContain(problemType);
    expect(answer.body).toMatchObject({ code: 'malformed_webhook', status: 400 });
    expect(answer.body['request_id']).toBe(answer.headers['x-request-id']);
    expect(await messagesOf(inbox).all()).toEqual([]);
  });

  it('returns 401 for a changed body, and stores nothing', async () => {
    const answer = await inbox.call('POST', '/webhooks', signedHeaders('msg_a', START, '{"a":1}'), '{"a":2}');
    expect(answer).toMatchObject({ status: 401, body: { code: 'bad_signature' } });
    expect(answer.headers['content-type']).toContain(problemType);
    expect(await messagesOf(inbox).all()).toEqual([]);
  });

  it.each([-301_000, 301_000])('returns 401 for an attempt %i ms away', async (away) => {
    expect(await deliver(inbox, '{}', { at: START + away })).toBe(401);
    expect(await messagesOf(inbox).all()).toEqual([]);
  });

  it('returns the same for a wrong signature and an old timestamp', async () => {
    const answer = async (headers: Record<string, string>): Promise<unknown> => {
      const response = await fetch(`${inbox.url}/webhooks`, { method: 'POST', headers, body: '{}' });
      const { request_id, ...said } = (await response.json()) as Record<string, unknown>;
      expect(request_id).toBe(response.headers.get('x-request-id'));
      return [response.status, said, [...response.headers.keys()]];
    };
    const wrong = await answer(signedHeaders('msg_a', START, 'another body'));
    expect(await answer(signedHeaders('msg_a', START - 3_600_000, '{}'))).toEqual(wrong);
    expect(await answer(signedHeaders('msg_a', START - 3_600_000, 'another body'))).toEqual(wrong);
  });

  it('returns 204 with only the headers of every response', async () => {
    const headers = signedHeaders('msg_a', START, '{}');
    const response = await fetch(`${inbox.url}/webhooks`, { method: 'POST', headers, body: '{}' });
    expect([response.status, await response.text(), response.headers.get('content-type')]).toEqual([204, '', null]);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('refuses a body that is too long by its header, before a byte arrives', async () => {
    expect(await statusMeanwhile(inbox.url, `${head}content-length: 20001\r\n\r\n`)).toBe(413);
  });

  it('cuts off a body without a length at the limit', async () => {
    const chunk = `1000\r\n${'x'.repeat(0x1000)}\r\n`;
    const signed = Object.entries(signedHeaders('msg_a', START, '{}')).map(([name, text]) => `${name}: ${text}\r\n`);
    const chunked = `${head}${signed.join('')}transfer-encoding: chunked\r\n\r\n`;
    expect(await statusMeanwhile(inbox.url, chunked + chunk.repeat(6))).toBe(413);
  });

  it('accepts a body of the maximum size and returns 413 for one more byte [webhooks#size]', async () => {
    expect(await deliver(inbox, 'x'.repeat(20_000))).toBe(204);
    const body = 'x'.repeat(20_001);
    const answer = await inbox.call('POST', '/webhooks', signedHeaders('msg_b', START, body), body);
    expect(answer).toMatchObject({ status: 413, body: { code: 'payload_too_large' } });
    expect(answer.headers['content-type']).toContain(problemType);
    expect(await messagesOf(inbox).all()).toHaveLength(1);
  });

  it.each(['GET', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])('does not support %s', async (method) => {
    const answer = await inbox.call(method, '/webhooks', {});
    expect(answer.status).toBe(405);
    expect(answer.headers['allow']).toBe('POST');
    expect(answer.headers['content-type']).toContain(problemType);
  });

  it('does not acknowledge a message that the store refuses, and accepts it when it is repeated', async () => {
    const restore = await withoutTable(inbox, 'messages');
    const body = '{}';
    const answer = await inbox.call('POST', '/webhooks', signedHeaders('msg_a', START, body), body);
    expect(answer).toMatchObject({ status: 503, body: { code: 'storage_unavailable' } });
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    await restore();
    expect(await messagesOf(inbox).all()).toEqual([]);
    expect(await deliver(inbox, body, { id: 'msg_a' })).toBe(204);
    expect(await messagesOf(inbox).all()).toHaveLength(1);
  });

  it('survives arbitrary bytes', async () => {
    const wild = [
      `${head}content-length: 10\r\n\r\nshort`,
      `${head}content-length: nonsense\r\n\r\n`,
      `${head}transfer-encoding: chunked\r\n\r\nzz\r\n`,
      `${head}svix-id: a\r\nsvix-id: b\r\ncontent-length: 0\r\n\r\n`,
      `${head}content-type: \u0001\r\ncontent-length: 0\r\n\r\n`,
    ];
    for (const bytes of wild) expect(await rawStatus(inbox.url, bytes)).not.toBe(500);
    expect(await deliver(inbox, '{}')).toBe(204);
  });

  it('logs a refusal only with code and request id', async () => {
    // Of its own, since no more than a few lines a minute tell of refusals.
    const own = await TestApp.create({ webhooks: false });
    const body = '{"marker":"do-not-log-me"}';
    const headers = { ...signedHeaders('msg_do_not_log', START, 'other'), 'x-request-id': 'req-1' };
    await own.call('POST', '/webhooks', headers, body);
    const lines = own.logs.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines).toContainEqual(
      expect.objectContaining({ event: 'webhook.refused', code: 'bad_signature', request_id: 'req-1' }),
    );
    expect([...own.logs, ...inbox.logs].join()).not.toMatch(/do-not-log|do_not_log|v1,/);
    await own.close();
  });

  it('refuses with 503 once the process is stopping', async () => {
    const inbox = await TestApp.create({ webhooks: false });
    inbox.get(InboxService).onModuleDestroy();
    const answer = await inbox.call('POST', '/webhooks', signedHeaders('msg_a', START, '{}'), '{}');
    expect(answer).toMatchObject({ status: 503, body: { code: 'shutting_down' } });
    expect(answer.headers['retry-after']).toBe('5');
    expect(await messagesOf(inbox).all()).toEqual([]);
    await inbox.close();
  });
});

/** Status of the answer to raw bytes; null when the connection just ends. */
function rawStatus(url: string, bytes: string): Promise<number | null> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    let text = '';
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => (text += chunk));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? Number.NaN) || null));
    socket.end(bytes, 'latin1');
  });
}

/** Status of the answer to a request whose end has not been sent. */
function statusMeanwhile(url: string, bytes: string): Promise<number> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.once('data', (chunk) => {
      resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(String(chunk))?.[1]));
      socket.destroy();
    });
    socket.write(bytes, 'latin1');
  });
}
