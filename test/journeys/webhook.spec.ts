import { compareWithTruth } from '../support/compare.js';
import { newAccountId, webhookSecret } from '../support/environment.js';
import { TestApp } from '../support/test-app.js';

interface MessageView {
  message_id: string;
  status: string;
  reason: string | null;
  event_type: string | null;
}

describe('from webhook to record', () => {
  let app: TestApp;
  let account_id: string;
  let user_id: string;

  beforeEach(async () => {
    app = await TestApp.create();
    account_id = newAccountId();
    user_id = await app.connect(account_id, 'oura', { days: 2, per_day: 4 });
    await app.advance(900, 5);
  });

  afterEach(() => app.close());

  const messages = async (query = ''): Promise<MessageView[]> =>
    (await app.admin<{ data: MessageView[] }>('GET', `/messages?limit=500${query}`)).body.data;
  const differing = async (resource: string): Promise<number> =>
    (await compareWithTruth(app, { account_id, user_id }, resource)).differing;

  it('stores delivered data once, for any number and order of deliveries [environments#service] [webhooks#order-of-delivery]', async () => {
    await app.sandbox.control.fault({ kind: 'duplicate' });
    await app.sandbox.control.fault({ kind: 'shuffle' });
    for (const resource of ['sleep', 'mindfulness_minutes', 'blood_pressure']) {
      await app.sandbox.control.generate({ user_id, provider: 'oura', resource, days: 1, per_day: 5, notify: true });
      await app.sandbox.control.edit({ user_id, resource, count: 3, notify: true });
    }
    await app.settle();
    expect(await differing('sleep')).toBe(0);
    expect(await differing('mindfulness_minutes')).toBe(0);
    expect(await differing('blood_pressure')).toBe(0);
    const sent = (await app.sandbox.control.messages()).messages.map((message) => message.id);
    const stored = await messages();
    expect(new Set(stored.map((message) => message.message_id))).toEqual(new Set(sent));
    expect(stored).toHaveLength(sent.length);
    expect(new Set(stored.map((message) => message.status))).toEqual(new Set(['done']));
  });

  it('shows from which message a record came', async () => {
    const { message_ids } = await app.sandbox.control.put({
      user_id,
      provider: 'oura',
      resource: 'heartrate',
      points: [{ timestamp: '2026-11-20T08:00:00+00:00', value: 61 }],
      notify: true,
    });
    await app.settle();
    const { body } = await app.admin<{ data: { value: number; provenance: Record<string, unknown> }[] }>(
      'GET',
      `/accounts/${account_id}/records/heartrate`,
    );
    expect(body.data).toHaveLength(1);
    expect(body.data[0]).toMatchObject({ value: 61, provenance: { kind: 'message', message_id: message_ids[0] } });
  });

  it('keeps an unknown event, marks it, and continues [webhooks#receiver]', async () => {
    const { message_id } = await app.sandbox.control.send({
      event_type: 'moon.phase.changed',
      user_id,
      data: { a: 1 },
    });
    const raw = await app.sandbox.control.send({ raw: 'this is not json' });
    await app.settle();
    const [unknown] = (await messages('&status=ignored')).filter((message) => message.message_id === message_id);
    expect(unknown).toMatchObject({ status: 'ignored', event_type: 'moon.phase.changed' });
    expect(unknown?.reason).toBeTruthy();
    const delivered = await app.sandbox.control.messages();
    expect(delivered.messages.filter((message) => [message_id, raw.message_id].includes(message.id))).toEqual([
      expect.objectContaining({ state: 'delivered' }),
      expect.objectContaining({ state: 'delivered' }),
    ]);
    const kept = await app.admin<{ body: { data: unknown } }>('GET', `/messages/${message_id}`, undefined, 'reader');
    expect(JSON.stringify(kept.body)).toContain('moon.phase.changed');
    const viewer = await app.admin('GET', `/messages/${message_id}`, undefined, 'viewer');
    expect(JSON.stringify(viewer.body)).not.toContain('"a":1');
  });

  it('adopts the account of an unknown upstream user', async () => {
    const stranger = newAccountId('elsewhere');
    const made = await app.sandbox.control.createUsers({ client_user_id: stranger });
    const other = made.users[0]?.user_id ?? '';
    await app.sandbox.control.put({
      user_id: other,
      provider: 'fitbit',
      resource: 'heartrate',
      points: [{ timestamp: '2026-11-20T08:00:00+00:00', value: 70 }],
      notify: true,
    });
    await app.settle();
    const account = await app.admin<{ account_id: string; user_id: string }>('GET', `/accounts/${stranger}`);
    expect(account.status).toBe(200);
    expect(JSON.stringify(account.body)).toContain(other);
    expect(await compareWithTruth(app, { account_id: stranger, user_id: other }, 'heartrate')).toEqual({
      upstream: 1,
      stored: 1,
      differing: 0,
      missing: 0,
      surplus: 0,
    });
  });

  it('corrects a late retry of an old message by pulling the stretch again [webhooks#late-messages]', async () => {
    const point = { timestamp: '2026-11-20T07:00:00+00:00' };
    const put = (value: number) =>
      app.sandbox.control.put({
        user_id,
        provider: 'oura',
        resource: 'mindfulness_minutes',
        points: [{ start: point.timestamp, end: '2026-11-20T07:10:00+00:00', value }],
        notify: true,
      });
    await app.sandbox.control.configureWebhooks({ paused: true });
    const first = await put(1);
    const second = await put(2);
    await app.sandbox.control.configureWebhooks({ paused: false });
    await app.settle();
    expect(await differing('mindfulness_minutes')).toBe(0);
    for (const id of [...second.message_ids, ...first.message_ids]) {
      await app.sandbox.control.replay({ message_id: id });
      await app.settle();
    }
    expect(await differing('mindfulness_minutes')).toBe(0);
  });

  it('accepts the new and the old secret during a rotation, and no other [webhooks#secrets]', async () => {
    const next = `whsec_${Buffer.from('another-webhook-secret-for-tests').toString('base64')}`;
    const rotated = await TestApp.create({ env: { WEBHOOK_SECRETS: `${next},${webhookSecret}` } });
    await rotated.sandbox.control.rotateSecret(next);
    const both = await rotated.sandbox.control.send({ event_type: 'anything.at.all', data: {} });
    await rotated.settle();
    await rotated.sandbox.control.rotateSecret(
      `whsec_${Buffer.from('a-secret-nobody-was-told-about').toString('base64')}`,
    );
    await rotated.advance(25 * 3600);
    const unknown = await rotated.sandbox.control.send({ event_type: 'anything.at.all', data: {} });
    await rotated.settle();
    const { messages: sent } = await rotated.sandbox.control.messages();
    const statuses = (id: string) =>
      sent.find((message) => message.id === id)?.attempts.map((attempt) => attempt.status);
    expect(statuses(both.message_id)).toEqual([204]);
    expect(new Set(statuses(unknown.message_id))).toEqual(new Set([401]));
    await rotated.close();
  });

  it('has no stored value in its logs and metrics', async () => {
    await app.sandbox.control.put({
      user_id,
      provider: 'oura',
      resource: 'heartrate',
      points: [{ timestamp: '2026-11-20T08:00:00+00:00', value: 123.456789 }],
      notify: true,
    });
    await app.settle();
    const metrics = await app.call<string>('GET', '/metrics');
    const everything = app.logs.join('\n') + metrics.body;
    expect(everything).toContain('pulsekeep_');
    for (const secret of ['123.456789', webhookSecret, 'sk_us_sandbox', user_id, account_id]) {
      expect(everything.includes(secret)).toBe(false);
    }
  });
});
