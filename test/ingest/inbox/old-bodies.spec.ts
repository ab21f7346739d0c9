import { CleanerWorker } from '../../../src/storage/work/cleaner.worker.js';
import { START } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';
import { countOf, deliver, emptyInbox, messagesOf, processed } from './support/deliveries.js';
import { event, sleep, type User, uuid } from './support/events.js';

const day = 86_400_000;

describe('retention of message bodies', () => {
  let inbox: TestApp;
  let user: User;

  beforeAll(async () => {
    inbox = await TestApp.create({ env: { MESSAGE_RETENTION_DAYS: '30' }, webhooks: false });
    const created = await inbox.sandbox.control.createUsers({ client_user_id: 'cust-1' });
    user = created.users[0] as unknown as User;
  });

  beforeEach(async () => {
    inbox.clock.set(START);
    await emptyInbox(inbox);
  });

  afterAll(() => inbox.close());

  const retain = (): Promise<void> => inbox.get(CleanerWorker).loop.runUntilIdle();
  const kept = async (): Promise<string[]> => {
    const rows = await inbox.store.reader.rows<{ message_id: string }>(
      'SELECT message_id FROM messages JOIN message_bodies ON message_bodies.seq = messages.seq ORDER BY messages.seq',
    );
    return rows.map(({ message_id }) => message_id);
  };

  it('deletes bodies of messages that finished earlier, and keeps the messages and all needed bodies', async () => {
    await deliver(inbox, event('daily.data.sleep.created', user, { no: 'sleep' }), { id: 'dead' });
    await deliver(inbox, event('daily.data.sleep.created', user, sleep(user)), { id: 'done' });
    await deliver(inbox, 'not json', { id: 'ignored' });
    const stranger = { ...user, user_id: uuid(7), client_user_id: 'stranger' };
    await deliver(inbox, event('daily.data.sleep.created', stranger, sleep(stranger)), { id: 'waiting' });
    await processed(inbox);
    inbox.clock.set(START + 30 * day);
    await deliver(inbox, 'not json', { id: 'new' });
    await retain();
    expect(await kept()).toEqual(['dead', 'done', 'ignored', 'waiting', 'new']);

    inbox.clock.set(START + 30 * day + 1);
    await retain();
    expect(await kept()).toEqual(['dead', 'waiting', 'new']);
    expect(await countOf(inbox, 'messages')).toBe(5);
    expect(await inbox.metric('message_bodies_dropped_total')).toBeGreaterThanOrEqual(2);
    const { body } = await inbox.admin('GET', '/messages/done', undefined, 'reader');
    expect(body).toMatchObject({ has_body: false, body: null, status: 'done', event_type: 'daily.data.sleep.created' });
    expect(await inbox.admin('POST', '/messages/done/replay')).toMatchObject({
      status: 409,
      body: { detail: 'The body of this message was already deleted.' },
    });
  });

  it('counts from the end of a replay', async () => {
    await deliver(inbox, 'not json', { id: 'replayed' });
    await processed(inbox);
    inbox.clock.set(START + 29 * day);
    await inbox.admin('POST', '/messages/replayed/replay');
    await processed(inbox);
    inbox.clock.set(START + 31 * day);
    await retain();
    expect(await kept()).toEqual(['replayed']);
    inbox.clock.set(START + 60 * day);
    await retain();
    expect(await kept()).toEqual([]);
  });

  it('deletes bodies of dead messages later, and never one that is still to be processed', async () => {
    await deliver(inbox, event('daily.data.sleep.created', user, { no: 'sleep' }), { id: 'dead' });
    await processed(inbox);
    await deliver(inbox, event('daily.data.sleep.created', user, sleep(user)), { id: 'waiting' });
    inbox.clock.set(START + 365 * day);
    await retain();
    expect(await kept()).toEqual(['dead', 'waiting']);
    inbox.clock.set(START + 365 * day + 1);
    await retain();
    expect(await kept()).toEqual(['waiting']);
    expect(await messagesOf(inbox).byId('dead')).toMatchObject({ status: 'dead' });
  });

  it('deletes any number of them in slices', async () => {
    await inbox.store.lane.run(async (tx) => {
      for (let index = 0; index < 1_050; index++) {
        const status = index % 10 === 0 ? 'dead' : 'done';
        await tx.execute(
          `INSERT INTO messages (seq, message_id, received_at, sent_at, status, attempts, finished_at, size)
           VALUES (?, ?, ?, ?, ?, 1, ?, 2)`,
          [1_000_000 + index, `bulk_${index}`, START, START, status, START],
        );
      }
      await tx.execute('INSERT INTO message_bodies (seq, body) SELECT seq, ? FROM messages', [Buffer.from('{}')]);
    });
    inbox.clock.set(START + 31 * day);
    await retain();
    expect(await kept()).toHaveLength(105);
    const { loop } = inbox.get(CleanerWorker);
    const before = loop.productiveRounds;
    await retain();
    expect(await kept()).toHaveLength(105);
    expect(loop.productiveRounds).toBe(before);
  });

  it('reports nothing to process for a message that loses its body during its replay', async () => {
    await deliver(inbox, 'not json', { id: 'late' });
    await inbox.store.lane.run((tx) => tx.execute('DELETE FROM message_bodies'));
    await processed(inbox);
    expect(await messagesOf(inbox).byId('late')).toMatchObject({ status: 'ignored', reason: 'body_not_kept' });
  });
});
