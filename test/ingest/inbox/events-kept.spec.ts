import { START } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';
import { countOf, deliver, messagesOf, newMessageId, processed } from './support/deliveries.js';
import { event, mindfulness, sleep, type TestEvent, type User, uuid, weight } from './support/events.js';

const kept: [content: Partial<TestEvent> | string, reason: string][] = [
  [{ event_type: 'continuous_query.result_table.changed', data: [] }, 'not_stored'],
  [{ event_type: 'labtest.match_review.created', data: {} }, 'names_no_order'],
  [{ event_type: 'lab_report.parsing_job.created', data: [] }, 'names_no_order'],
  [{ event_type: 'daily.data.sleep.deleted', data: {} }, 'unknown_event'],
  [{ event_type: 'message', data: {} }, 'unknown_event'],
  [{ event_type: 'daily.data.aura.created', data: {} }, 'unknown_resource'],
  [{ event_type: 'daily.data.body_weight.created', data: {} }, 'unknown_resource'],
  [{ data: {} }, 'no_event_type'],
  [{ event_type: '' }, 'no_event_type'],
  ['[]', 'no_event_type'],
  ['null', 'no_event_type'],
  ['{"type":"message.attempt.exhausted","data":{}}', 'no_event_type'],
  ['<xml/>', 'not_json'],
];

describe('events', () => {
  let inbox: TestApp;
  let users = 0;

  beforeAll(async () => {
    inbox = await TestApp.create({ webhooks: false });
    await inbox.sandbox.control.configure({ user_limit: null });
  });

  afterAll(() => inbox.close());

  async function newUser(): Promise<User> {
    users += 1;
    const created = await inbox.sandbox.control.createUsers({ client_user_id: `cust-${users}` });
    return created.users[0] as unknown as User;
  }

  it.each(kept)(
    '%j is kept as ignored: %s [webhooks#device-events] [webhooks#event-types] [webhooks#exhausted-messages]',
    async (content, reason) => {
      const id = newMessageId();
      expect(await deliver(inbox, content, { id })).toBe(204);
      await processed(inbox);
      const [row] = await inbox.store.reader.rows<Record<string, unknown>>(
        'SELECT * FROM messages WHERE message_id = ?',
        [id],
      );
      expect(row).toMatchObject({ status: 'ignored', reason, due_at: null, finished_at: START });
      expect(row?.['body']).not.toBeNull();
    },
  );

  it.each([
    ['daily.data.blood_pressure.created', { source: {}, data: [] }],
    ['daily.data.blood_pressure.created', { source: { provider: 'oura' }, data: 'none' }],
    ['daily.data.blood_pressure.created', { source: { provider: 'oura' }, data: [{ value: 1 }] }],
    ['daily.data.blood_pressure.created', null],
    ['daily.data.sleep.created', { id: null }],
    ['historical.data.sleep.created', { provider: 'oura', start_date: 'soon', end_date: '2026-11-20T00:00:00Z' }],
    ['provider.connection.created', { provider: {} }],
    ['provider.connection.error', {}],
    ['provider.device.created', { provider: 'oura' }],
    ['labtest.order.updated', { status: 'collected' }],
    ['labtest.appointment.updated', { id: uuid(1) }],
    ['labtest.result.critical', 'text'],
  ])('%s with unusable data is dead immediately: %#', async (event_type, data) => {
    const id = newMessageId();
    await deliver(inbox, event(event_type, await newUser(), data), { id });
    await processed(inbox);
    expect(await messagesOf(inbox).byId(id)).toMatchObject({
      status: 'dead',
      reason: 'unreadable_data',
      attempts: 1,
      event_type,
    });
  });

  it('are kept under the account of their user if they are unusable', async () => {
    const user = await newUser();
    const ids = [newMessageId(), newMessageId()];
    await deliver(inbox, event('daily.data.sleep.created', user, sleep(user)), { id: String(ids[0]) });
    await processed(inbox);
    await deliver(inbox, event('daily.data.sleep.created', user, { id: null }), { id: String(ids[1]) });
    await processed(inbox);
    const [done, dead] = await Promise.all(ids.map((id) => messagesOf(inbox).byId(id)));
    expect(dead).toMatchObject({ status: 'dead', account_id: done?.['account_id'] });
  });

  it('have their usable points stored', async () => {
    const user = await newUser();
    const data = mindfulness({ start: '2026-11-20T08:00:00Z', value: 10 });
    (data['data'] as unknown[]).push({ start: 'never', value: 1 }, { start: '2026-11-20T09:00:00Z' }, null);
    const id = newMessageId();
    await deliver(inbox, event('daily.data.mindfulness_minutes.created', user, data), { id });
    await processed(inbox);
    const { status, account_id } = await messagesOf(inbox).byId(id);
    expect(status).toBe('done');
    expect(
      await inbox.store.reader.rows(
        'SELECT s.time FROM samples s JOIN series r ON r.id = s.series_id WHERE r.account_id = ?',
        [account_id],
      ),
    ).toHaveLength(1);
  });

  it('cause a pull of a stretch if they contradict stored data [webhooks#late-messages]', async () => {
    const user = await newUser();
    const type = 'daily.data.mindfulness_minutes.updated';
    await deliver(inbox, event(type, user, mindfulness({ start: '2026-11-20T08:00:00Z', value: 10 })));
    await processed(inbox);
    const id = newMessageId();
    await deliver(inbox, event(type, user, mindfulness({ start: '2026-11-20T08:00:00Z', value: 20 })), { id });
    await processed(inbox);
    const { account_id } = await messagesOf(inbox).byId(id);
    const rereads = await inbox.store.reader.rows(
      "SELECT * FROM sync_tasks WHERE account_id = ? AND origin = 'reread'",
      [account_id],
    );
    expect(rereads).toMatchObject([{ resource: 'mindfulness_minutes', provider: 'oura', status: 'pending' }]);
  });

  it('are about the user in their data, or by the id of the customer, if the envelope names none [webhooks#envelope]', async () => {
    const user = await newUser();
    const inData = newMessageId();
    await deliver(inbox, { event_type: 'daily.data.sleep.created', data: sleep(user) }, { id: inData });
    await processed(inbox);
    const byCustomer = newMessageId();
    const content = {
      event_type: 'daily.data.weight.created',
      data: weight('2026-11-20T08:00:00Z', 70),
      client_user_id: user.client_user_id,
    };
    await deliver(inbox, content, { id: byCustomer });
    await processed(inbox);
    const [first, second] = [await messagesOf(inbox).byId(inData), await messagesOf(inbox).byId(byCustomer)];
    expect(first).toMatchObject({ status: 'done' });
    expect(second).toMatchObject({ status: 'done', account_id: first.account_id });
  });

  it('of another team are kept without being applied [webhooks#envelope]', async () => {
    const user = await newUser();
    await deliver(inbox, event('daily.data.sleep.created', user, sleep(user)));
    await processed(inbox);
    const samples = await countOf(inbox, 'samples');
    const id = newMessageId();
    const foreign = {
      ...event('daily.data.weight.created', user, weight('2026-11-20T08:00:00Z', 70)),
      team_id: uuid(666),
    };
    await deliver(inbox, foreign, { id });
    await processed(inbox);
    expect(await messagesOf(inbox).byId(id)).toMatchObject({ status: 'ignored', reason: 'foreign_team' });
    expect(await countOf(inbox, 'samples')).toBe(samples);
  });
});
