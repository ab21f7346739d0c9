import { TestApp } from '../../support/test-app.js';
import { countOf, deliver, messagesOf, processed } from './support/deliveries.js';
import { event, sleep, type User } from './support/events.js';

describe('an event of a person', () => {
  let inbox: TestApp;
  let user: User;

  beforeEach(async () => {
    inbox = await TestApp.create({ webhooks: false });
    const { users } = await inbox.sandbox.control.createUsers({ client_user_id: 'cust-1' });
    user = users[0] as unknown as User;
    await deliver(inbox, event('daily.data.sleep.created', user, sleep(user)));
    await processed(inbox);
  });

  afterEach(() => inbox.close());

  /** One event with an effect, and one without. */
  async function late(): Promise<void> {
    await deliver(inbox, event('daily.data.sleep.updated', user, sleep(user)), { id: 'with' });
    await deliver(inbox, event('something.new', user, {}), { id: 'without' });
    await processed(inbox);
  }

  const suppressed = { status: 'ignored', reason: 'account_erased', account_id: null };

  it('who is being erased is kept as a fact alone, without its body', async () => {
    await inbox.admin('DELETE', '/accounts/cust-1');
    await late();
    for (const id of ['with', 'without']) expect(await messagesOf(inbox).byId(id)).toMatchObject(suppressed);
    expect(await countOf(inbox, 'message_bodies')).toBe(1);
  });

  it('who was erased is kept as a fact alone, without its body', async () => {
    await inbox.admin('DELETE', '/accounts/cust-1');
    await inbox.settle();
    expect(await countOf(inbox, 'accounts')).toBe(0);
    await late();
    for (const id of ['with', 'without']) expect(await messagesOf(inbox).byId(id)).toMatchObject(suppressed);
    expect(await countOf(inbox, 'message_bodies')).toBe(0);
  });
});
