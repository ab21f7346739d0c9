import type { ExplanationDto } from '../../../src/operations/explain/explain.dto.js';
import { TestApp } from '../../support/test-app.js';
import { countOf, deliver, messagesOf, processed } from './support/deliveries.js';
import { event, order, sleep, type User, uuid } from './support/events.js';

describe('events that must not be stored', () => {
  let inbox: TestApp;
  let own: User;
  let other: User;

  beforeEach(async () => {
    inbox = await TestApp.create({ webhooks: false });
    own = await userOf('cust-1');
    other = await userOf('cust-2');
  });

  afterEach(() => inbox.close());

  async function userOf(client_user_id: string): Promise<User> {
    const { user_id } = (await inbox.as(client_user_id, 'POST', '/me/sign-in-token', {})).body;
    return { user_id, client_user_id, team_id: uuid(0xfff) };
  }

  const ownEvent = (type: string, data: unknown) => {
    const { team_id: _, ...envelope } = event(type, own, data);
    return envelope;
  };

  it.each([
    ['daily.data.sleep.created', () => sleep(other), 'summaries'],
    ['labtest.order.created', () => order(other, uuid(1), uuid(2)), 'orders'],
    ['provider.device.created', () => ({ id: uuid(3), user_id: other.user_id, provider: 'oura' }), 'devices'],
    ['provider.connection.created', () => ({ user_id: other.user_id, provider: { slug: 'oura' } }), 'connections'],
    ['labtest.result.critical', () => ({ order: { user_id: other.user_id }, order_id: uuid(1) }), 'critical_results'],
  ])('%s about another user than its envelope names is marked and stored for neither', async (type, data, table) => {
    await deliver(inbox, ownEvent(type, data()), { id: 'msg_a' });
    await processed(inbox);
    expect(await messagesOf(inbox).byId('msg_a')).toMatchObject({ status: 'dead', reason: 'user_mismatch' });
    expect(await countOf(inbox, table)).toBe(0);
    expect(await inbox.metric('messages_processed_total', { outcome: 'dead' })).toBe(1);
    const { body } = await inbox.admin<{ data: { message_id: string }[] }>('GET', '/messages?reason=user_mismatch');
    expect(body.data.map(({ message_id }) => message_id)).toEqual(['msg_a']);
  });

  it('the user id is compared in either case', async () => {
    const shouting = { ...sleep(own), user_id: own.user_id.toUpperCase() };
    await deliver(inbox, ownEvent('daily.data.sleep.created', shouting), { id: 'msg_a' });
    await processed(inbox);
    expect(await messagesOf(inbox).byId('msg_a')).toMatchObject({ status: 'done' });
  });

  it('a mismatch is in the explanation of the day of its envelope user, and its body in no export', async () => {
    const marked = { ...sleep(other), state: 'MARKED-STATE' };
    await deliver(inbox, ownEvent('daily.data.sleep.created', marked), { id: 'msg_a' });
    await processed(inbox);
    inbox.clock.advance(2 * 86_400_000);
    const { body } = await inbox.admin<ExplanationDto>('GET', '/accounts/cust-1/explain?resource=sleep&day=2026-11-20');
    expect(body.reason).toBe('message_dead');
    expect(body.evidence.map(({ finding }) => finding).join(' ')).toContain('dead (user_mismatch)');
    for (const account of ['cust-1', 'cust-2']) {
      const answer = await inbox.admin<string>('GET', `/accounts/${account}/export`, undefined, 'reader');
      expect(JSON.stringify(answer.body)).not.toContain('MARKED-STATE');
    }
  });

  it('a mismatch is deleted when either of the two users is erased', async () => {
    await deliver(inbox, ownEvent('daily.data.sleep.created', sleep(other)), { id: 'msg_a' });
    await processed(inbox);
    await inbox.admin('DELETE', '/accounts/cust-2');
    await inbox.settle();
    expect(await messagesOf(inbox).all()).toEqual([]);
    expect(await countOf(inbox, 'message_bodies')).toBe(0);
  });

  const nested = (depth: number): string => {
    const deep = `${'['.repeat(depth)}${']'.repeat(depth)}`;
    const point = `{"timestamp":"2026-11-20T08:00:00Z","value":1,"unit":"kg","more":${deep}}`;
    const data = `{"source":{"provider":"oura","type":"scale"},"data":[${point}]}`;
    return `{"event_type":"daily.data.weight.created","user_id":"${own.user_id}","data":${data}}`;
  };

  it.each([200, 6_000, 400_000])('nesting of %d levels is rejected, and stays readable', async (depth) => {
    const body = nested(depth);
    expect(await deliver(inbox, body, { id: 'msg_a' })).toBe(204);
    await processed(inbox);
    expect(await messagesOf(inbox).byId('msg_a')).toMatchObject({
      status: 'dead',
      reason: 'nested_too_deep',
      attempts: 1,
    });
    const answer = await inbox.admin<{ body_base64: string }>('GET', '/messages/msg_a', undefined, 'reader');
    expect(answer.status).toBe(200);
    expect(Buffer.from(answer.body.body_base64, 'base64').toString()).toBe(body);
  });

  it('moderate nesting is stored, and brackets in texts do not count', async () => {
    await deliver(inbox, nested(50), { id: 'msg_a' });
    await deliver(
      inbox,
      nested(1)
        .replace('"kg"', `"${'[{\\"'.repeat(300)}"`)
        .replace('08:00', '09:00'),
      { id: 'msg_b' },
    );
    await processed(inbox);
    expect(await messagesOf(inbox).byId('msg_a')).toMatchObject({ status: 'done' });
    expect(await messagesOf(inbox).byId('msg_b')).toMatchObject({ status: 'done' });
  });
});
