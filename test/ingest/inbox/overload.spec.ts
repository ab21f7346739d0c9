import { InboxWorker } from '../../../src/ingest/inbox/inbox.worker.js';
import { AlarmsWorker } from '../../../src/operations/alarms/alarms.worker.js';
import { SECOND } from '../../support/environment.js';
import type { AnswerBody } from '../../support/http.js';
import { signedHeaders } from '../../support/signed-message.js';
import { TestApp } from '../../support/test-app.js';
import { until } from '../../support/until.js';
import { deliver, messagesOf, newMessageId, processed, withoutTable } from './support/deliveries.js';
import { event, mindfulness, type User, uuid } from './support/events.js';

describe('deliveries to an inbox that is behind', () => {
  let inbox: TestApp;
  let user: User;

  beforeEach(async () => {
    inbox = await TestApp.create({ webhooks: false });
    const { users } = await inbox.sandbox.control.createUsers({ client_user_id: 'cust-1' });
    user = users[0] as unknown as User;
    await deliver(inbox, message(0));
    await processed(inbox);
  });

  afterEach(() => inbox.close());

  const message = (minute: number, of = user): object =>
    event(
      'daily.data.mindfulness_minutes.created',
      of,
      mindfulness({ start: `2026-11-20T08:${10 + minute}:00Z`, value: 5 }),
    );
  /** The inbox looks at its oldest message beside the deliveries, so the first after a while may still be taken. */
  const isShedding = async (): Promise<boolean> => {
    for (let attempt = 0; attempt < 5; attempt++) {
      inbox.clock.advance(SECOND);
      if ((await deliver(inbox, 'no event', { id: 'probe' })) === 503) return true;
      await inbox.run(InboxWorker);
    }
    return false;
  };
  const codes = async (): Promise<string[]> => {
    await inbox.run(AlarmsWorker);
    const { body } = await inbox.admin<{ data: { code: string }[] }>('GET', '/alarms');
    return body.data.map(({ code }) => code);
  };

  it('are refused with 503 and Retry-After once its oldest message has waited too long, then accepted again', async () => {
    await deliver(inbox, message(1), { id: 'waits' });
    inbox.clock.advance(601 * SECOND);
    await until(async () => (await deliver(inbox, message(2), { id: 'asked' })) === 503);
    const body = JSON.stringify(message(3));
    const id = newMessageId();
    const headers = { 'content-type': 'application/json', ...signedHeaders(id, inbox.clock.now(), body) };
    const refused = await inbox.call<AnswerBody>('POST', '/webhooks', headers, body);
    expect(refused).toMatchObject({ status: 503, body: { code: 'inbox_behind' } });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await messagesOf(inbox).all()).map(({ message_id }) => message_id)).not.toContain(id);
    expect(await inbox.metric('messages_received_total', { outcome: 'inbox_behind' })).toBeGreaterThan(1);
    expect(await codes()).toContain('deliveries_shed');
    await processed(inbox);
    expect(await messagesOf(inbox).byId('waits')).toMatchObject({ status: 'done' });
    inbox.clock.advance(SECOND);
    await until(async () => (await deliver(inbox, message(3), { id })) === 204);
    inbox.clock.advance(600 * SECOND);
    expect(await codes()).not.toContain('deliveries_shed');
  });

  it('are accepted after a quiet time, although a message was waiting at the last check', async () => {
    await deliver(inbox, message(1));
    inbox.clock.advance(SECOND);
    await deliver(inbox, message(2));
    await processed(inbox);
    inbox.clock.advance(601 * SECOND);
    expect(await deliver(inbox, message(3))).toBe(204);
  });

  it('are not refused because of a message that was tried, waits for its user or is dead', async () => {
    const mend = await withoutTable(inbox, 'samples');
    await deliver(inbox, message(1), { id: 'fails' });
    await inbox.run(InboxWorker);
    await mend();
    await deliver(inbox, message(2, { ...user, user_id: uuid(7), client_user_id: 'stranger' }), { id: 'stranger' });
    await deliver(inbox, 'no event', { id: 'dead' });
    await inbox.run(InboxWorker);
    await deliver(inbox, message(3), { id: 'left' });
    const lease = `UPDATE messages SET lease_owner = 'dead', lease_until = ?, attempts = 1 WHERE message_id = 'left'`;
    await inbox.store.lane.run((tx) => tx.execute(lease, [inbox.clock.now() + 3_600 * SECOND]));
    inbox.clock.advance(600 * SECOND);
    expect(await isShedding()).toBe(false);
  });
});
