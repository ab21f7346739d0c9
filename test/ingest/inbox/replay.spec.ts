import { InboxRepository } from '../../../src/ingest/inbox/inbox.repository.js';
import type { MessageEntity } from '../../../src/ingest/inbox/message.entity.js';
import { MessageProcessor } from '../../../src/ingest/inbox/message.processor.js';
import { TestApp } from '../../support/test-app.js';
import { countOf, deliver, messagesOf, processed } from './support/deliveries.js';
import { event, mindfulness, type User } from './support/events.js';

describe('the replay of a message that is being processed', () => {
  let inbox: TestApp;
  let content: object;

  beforeEach(async () => {
    inbox = await TestApp.create({ webhooks: false });
    const { users } = await inbox.sandbox.control.createUsers({ client_user_id: 'cust-1' });
    const minutes = mindfulness({ start: '2026-11-20T08:00:00Z', value: 10 });
    content = event('daily.data.mindfulness_minutes.created', users[0] as unknown as User, minutes);
  });

  afterEach(() => inbox.close());

  it('takes it from the current attempt, which then changes nothing', async () => {
    await deliver(inbox, content, { id: 'msg_a' });
    const { rows } = inbox.get(InboxRepository);
    const [held] = await inbox.store.lane.run((tx) => rows.claim(tx, { now: inbox.clock.now(), limit: 1 }));
    expect((await inbox.admin('POST', '/messages/msg_a/replay')).status).toBe(202);
    await processed(inbox);
    const done = await messagesOf(inbox).byId('msg_a');
    expect(done).toMatchObject({ status: 'done', attempts: 1, lease_owner: null });
    const body = Buffer.from(JSON.stringify(content));
    const { signal } = new AbortController();
    await inbox.get(MessageProcessor).process([{ message: held as MessageEntity, body }], signal);
    expect(await messagesOf(inbox).byId('msg_a')).toEqual(done);
    expect(await countOf(inbox, 'observations')).toBe(1);
  });
});
