import { Webhook } from 'standardwebhooks';
import { sign } from '../../sandbox/webhooks/signing.js';
import { closeAll, newUser, receiverFor, sandboxFor } from './support.js';

afterEach(closeAll);

const SECRET = 'whsec_AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcY';
const START = Date.parse('2026-11-20T12:00:00Z');

function secondsSinceStart(at: string): number {
  return (Date.parse(at) - START) / 1000;
}

describe('signature', () => {
  it('agrees with the published test vector [webhooks#test-vector]', () => {
    const body =
      '{"event_type":"daily.data.sleep.created","data":{"id":"00000000-0000-4000-8000-000000000001"},"user_id":"00000000-0000-4000-8000-000000000002","client_user_id":"cust-42","team_id":"00000000-0000-4000-8000-000000000003"}';
    const content = { id: 'msg_wire_supplement_0001', timestamp: 1700000000, body };
    expect(sign(SECRET, content)).toBe('v1,FDZ7e856EGv5umi36eLdf5cCBF3IIGWJ+QB7HVnRNAI=');
  });

  it.each(['svix', 'webhook'] as const)('is accepted by the public library under the %s headers', async (family) => {
    const receiver = await receiverFor();
    const sandbox = await sandboxFor({ webhookUrl: receiver.url, webhookSecret: SECRET });
    await sandbox.control.configureWebhooks({ header_family: family, timestamp_source: 'real' });
    const user_id = await newUser(sandbox);
    await sandbox.control.connect({ user_id, provider: 'oura', devices: false, resources: [] });
    await sandbox.control.settle();
    const [delivery] = receiver.deliveries;
    const headers = delivery?.headers ?? {};
    const verified = new Webhook(SECRET).verify(delivery?.body ?? '', {
      'webhook-id': String(headers[`${family}-id`]),
      'webhook-timestamp': String(headers[`${family}-timestamp`]),
      'webhook-signature': String(headers[`${family}-signature`]),
    });
    expect(verified).toMatchObject({ event_type: 'provider.connection.created', user_id, client_user_id: 'cust-1' });
  });

  it('is made with both secrets for 24 hours after a rotation [webhooks#secrets]', async () => {
    const receiver = await receiverFor();
    const sandbox = await sandboxFor({ webhookUrl: receiver.url, webhookSecret: SECRET });
    const { secret } = await sandbox.control.rotateSecret();
    await sandbox.control.send({ event_type: 'x.y' });
    await sandbox.control.settle();
    await sandbox.control.advance(24 * 3600 + 1);
    await sandbox.control.send({ event_type: 'x.y' });
    await sandbox.control.settle();
    const signatures = receiver.deliveries.map(({ headers, body }) => {
      const content = { id: String(headers['svix-id']), timestamp: Number(headers['svix-timestamp']), body };
      const given = String(headers['svix-signature']).split(' ');
      return {
        count: given.length,
        fresh: given.includes(sign(secret, content)),
        old: given.includes(sign(SECRET, content)),
      };
    });
    expect(signatures).toEqual([
      { count: 2, fresh: true, old: true },
      { count: 1, fresh: true, old: false },
    ]);
  });
});

describe('delivery', () => {
  it('retries on the published schedule under one id and with the time of each attempt [webhooks#retry-delays]', async () => {
    const receiver = await receiverFor(Array.from({ length: 9 }, () => 500));
    const sandbox = await sandboxFor({ webhookUrl: receiver.url });
    const { message_id } = await sandbox.control.send({ event_type: 'x.y' });
    await sandbox.control.advance(30 * 3600);
    const message = await sandbox.control.message(message_id);
    expect(message.state).toBe('exhausted');
    expect(message.attempts.map(({ at }) => secondsSinceStart(at))).toEqual([
      0, 0, 5, 305, 2105, 9305, 27_305, 63_305, 99_305,
    ]);
    const own = receiver.deliveries.filter(({ headers }) => headers['svix-id'] === message_id);
    expect(own).toHaveLength(9);
    expect(Number(own[3]?.headers['svix-timestamp'])).toBe(START / 1000 + 305);
    const notices = (await sandbox.control.messages({ event_type: 'message.attempt.exhausted' })).messages;
    expect(notices.map(({ state }) => state)).toEqual(['delivered']);
  });

  it('stops at the first 2xx and treats a redirect as a failure [webhooks#success]', async () => {
    const receiver = await receiverFor([302, 202]);
    const sandbox = await sandboxFor({ webhookUrl: receiver.url });
    const { message_id } = await sandbox.control.send({ event_type: 'x.y' });
    await sandbox.control.advance(3600);
    const message = await sandbox.control.message(message_id);
    expect([message.state, message.attempts.map(({ status }) => status)]).toEqual(['delivered', [302, 202]]);
  });

  it('is listed in pages', async () => {
    const sandbox = await sandboxFor();
    for (let index = 0; index < 5; index += 1) await sandbox.control.send({ event_type: index === 1 ? 'a' : 'b' });
    const { messages } = await sandbox.control.messages({ event_type: 'b', from: 1, limit: 2 });
    expect(messages.map(({ number, event_type }) => [number, event_type])).toEqual([
      [2, 'b'],
      [3, 'b'],
    ]);
  });

  it('sends nothing automatically while the clock is manual', async () => {
    const receiver = await receiverFor();
    const sandbox = await sandboxFor({ webhookUrl: receiver.url });
    await sandbox.control.send({ event_type: 'x.y' });
    expect(receiver.deliveries).toHaveLength(0);
    expect(await sandbox.control.settle()).toMatchObject({ settled: true, messages: { delivered: 1, pending: 0 } });
    expect(receiver.deliveries).toHaveLength(1);
  });

  it('holds messages while paused and sends them afterwards', async () => {
    const receiver = await receiverFor();
    const sandbox = await sandboxFor({ webhookUrl: receiver.url });
    await sandbox.control.configureWebhooks({ paused: true });
    await sandbox.control.send({ event_type: 'x.y' });
    expect((await sandbox.control.settle()).messages.held).toBe(1);
    await sandbox.control.configureWebhooks({ paused: false });
    expect((await sandbox.control.settle()).messages).toMatchObject({ held: 0, delivered: 1 });
  });

  it('never sends a lost message until it is replayed [webhooks#replay]', async () => {
    const receiver = await receiverFor();
    const sandbox = await sandboxFor({ webhookUrl: receiver.url });
    await sandbox.control.fault({ kind: 'lose' });
    const lost = await sandbox.control.send({ event_type: 'x.y' });
    await sandbox.control.advance(60);
    expect((await sandbox.control.message(lost.message_id)).state).toBe('lost');
    await sandbox.control.replay({ since: '2026-11-20T00:00:00Z' });
    await sandbox.control.settle();
    expect((await sandbox.control.message(lost.message_id)).state).toBe('delivered');
  });

  it('sends bodies without an envelope and bodies that are not JSON', async () => {
    const receiver = await receiverFor();
    const sandbox = await sandboxFor({ webhookUrl: receiver.url });
    await sandbox.control.send({ event_type: 'labtest.result.critical', data: { order_id: 'o' }, envelope: false });
    await sandbox.control.send({ raw: 'not json' });
    await sandbox.control.settle();
    expect(receiver.deliveries.map(({ body }) => body)).toEqual(['{"order_id":"o"}', 'not json']);
  });

  it('delivers without control calls in automatic mode', async () => {
    const receiver = await receiverFor([500, 500]);
    const sandbox = await sandboxFor({ webhookUrl: receiver.url, timeScale: 10_000 });
    const { message_id } = await sandbox.control.send({ event_type: 'x.y' });
    await sandbox.control.settle({ within_seconds: 60 });
    expect((await sandbox.control.message(message_id)).attempts.map(({ status }) => status)).toEqual([500, 500, 204]);
  });
});
