import { InboxWorker } from '../../../src/ingest/inbox/inbox.worker.js';
import { TestApp } from '../../support/test-app.js';
import { countOf, deliver, messagesOf, processed } from './support/deliveries.js';
import { event, sleep, type User, uuid } from './support/events.js';

const MINUTE = 60_000;
const FIRST = Date.parse('2026-10-01T00:00:00Z');
/** Longer than what is read with the others. */
const long = 'x'.repeat(300_000);

describe('long bodies', () => {
  let inbox: TestApp;
  let user: User;

  beforeEach(async () => {
    inbox = await TestApp.create({ webhooks: false });
    const { user_id } = (await inbox.as('cust-1', 'POST', '/me/sign-in-token', {})).body;
    user = { user_id, client_user_id: 'cust-1', team_id: uuid(0xfff) };
  });

  afterEach(() => inbox.close());

  const heartrate = (count: number, from = 0) => ({
    source: { provider: 'oura', type: 'ring', device_id: null },
    data: Array.from({ length: count }, (_, n) => ({
      timestamp: new Date(FIRST + (from + n) * MINUTE).toISOString(),
      timezone_offset: 3600,
      unit: 'bpm',
      value: 50 + ((from + n) % 60),
    })),
  });
  const about = (type: string, data: unknown) => {
    const { team_id: _, ...envelope } = event(type, user, data);
    return envelope;
  };
  const stored = () => inbox.store.reader.rows('SELECT time, value, duration_ms FROM samples ORDER BY time');

  it('are stored completely, in short transactions', async () => {
    await deliver(inbox, about('daily.data.heartrate.created', heartrate(3_500)), { id: 'long' });
    await processed(inbox);
    expect(await messagesOf(inbox).byId('long')).toMatchObject({ status: 'done', attempts: 1 });
    const expected = heartrate(3_500).data.map(({ timestamp, value }) => ({
      time: Date.parse(timestamp),
      value,
      duration_ms: null,
    }));
    expect(await stored()).toEqual(expected);
    expect(await countOf(inbox, 'observations')).toBe(1);
    await inbox.admin('POST', '/messages/long/replay');
    await processed(inbox);
    expect(await stored()).toEqual(expected);
  });

  it('delay no short one, in any order', async () => {
    await deliver(inbox, about('daily.data.heartrate.created', heartrate(3_500)), { id: 'long' });
    await deliver(inbox, about('daily.data.heartrate.created', heartrate(1, 5_000)), { id: 'short' });
    await inbox.run(InboxWorker);
    expect(await messagesOf(inbox).byId('short')).toMatchObject({ status: 'done' });
    expect(await messagesOf(inbox).byId('long')).toMatchObject({ status: 'received', attempts: 0 });
    await inbox.get(InboxWorker).longLoop.runUntilIdle();
    expect(await messagesOf(inbox).byId('long')).toMatchObject({ status: 'done' });
  });

  it('of a person who is erased during processing leave nothing', async () => {
    await deliver(inbox, about('daily.data.heartrate.created', heartrate(3_500)), { id: 'long' });
    await inbox.store.lane.run((tx) => tx.execute("UPDATE accounts SET status = 'erasing'"));
    await processed(inbox);
    expect(await messagesOf(inbox).byId('long')).toMatchObject({ status: 'ignored', reason: 'account_erased' });
    expect(await countOf(inbox, 'samples')).toBe(0);
  });

  it('may contain summaries and orders as well', async () => {
    await deliver(inbox, about('daily.data.sleep.created', sleep(user, { more: long })));
    const order = { id: uuid(1), user_id: user.user_id, details: { type: 'walk_in_test', data: null }, more: long };
    await deliver(inbox, about('labtest.order.created', order), { id: 'order' });
    await processed(inbox);
    const [summary] = await inbox.store.reader.rows<{ raw: string }>('SELECT raw FROM summaries');
    expect((JSON.parse(summary?.raw ?? '') as { more: string }).more).toBe(long);
    expect((await messagesOf(inbox).byId('order')).event_type).toBe('labtest.order.created');
  });

  it.each([
    ['ignored', 'not_json', () => `{"event_type":"${long}`],
    ['ignored', 'no_event_type', () => JSON.stringify({ more: long })],
    ['ignored', 'unknown_event', () => JSON.stringify(about('daily.data.sleep.deleted', { more: long }))],
    ['ignored', 'unknown_resource', () => JSON.stringify(about('daily.data.aura.created', { more: long }))],
    ['dead', 'unreadable_data', () => JSON.stringify(about('daily.data.weight.created', { more: long }))],
    [
      'dead',
      'user_mismatch',
      () => JSON.stringify(about('daily.data.sleep.created', { user_id: uuid(9), more: long })),
    ],
    ['dead', 'nested_too_deep', () => '['.repeat(300_000)],
  ] as const)('are %s as %s, like short ones', async (status, reason, body) => {
    await deliver(inbox, body(), { id: 'msg_a' });
    await processed(inbox);
    expect(await messagesOf(inbox).byId('msg_a')).toMatchObject({ status, reason });
  });

  it('are accepted in parallel', async () => {
    const bodies = Array.from({ length: 12 }, (_, n) => `{"number":${n},"more":"${long.repeat(7)}"}`);
    const answers = await Promise.all(bodies.map((body) => deliver(inbox, body)));
    expect(answers).toEqual(bodies.map(() => 204));
    expect(await countOf(inbox, 'message_bodies')).toBe(12);
  });
});
