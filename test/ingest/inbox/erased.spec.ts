import { tablesWith } from '../../privacy/erasure/support/filling.js';
import type { Receipt } from '../../privacy/erasure/support/receipt.js';
import { TestApp } from '../../support/test-app.js';
import { countOf, deliver, messagesOf, processed } from './support/deliveries.js';
import { appointment, event, order, sleep, type User, uuid } from './support/events.js';

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

  it('who is being erased is stored without its body', async () => {
    await inbox.admin('DELETE', '/accounts/cust-1');
    await late();
    for (const id of ['with', 'without']) expect(await messagesOf(inbox).byId(id)).toMatchObject(suppressed);
    expect(await countOf(inbox, 'message_bodies')).toBe(1);
  });

  it('who was erased is stored without its body', async () => {
    await inbox.admin('DELETE', '/accounts/cust-1');
    await inbox.settle();
    expect(await countOf(inbox, 'accounts')).toBe(0);
    await late();
    for (const id of ['with', 'without']) expect(await messagesOf(inbox).byId(id)).toMatchObject(suppressed);
    expect(await countOf(inbox, 'message_bodies')).toBe(0);
  });

  describe('that names its erased person only by an order or deep in its data', () => {
    const value = 'MARKED-VALUE';
    const ids = { order: uuid(71), transaction: uuid(72), appointment: uuid(73), job: uuid(74) };
    const bodies = (): [name: string, body: object | string][] => {
      const { user_id, client_user_id } = user;
      const result = { results: [{ name: 'glucose', result: value }] };
      const other = { ...user, user_id: uuid(90), client_user_id: 'cust-2' };
      return [
        ['critical-by-order', { event_type: 'labtest.result.critical', data: { order_id: ids.order, value } }],
        ['order-alone', { event_type: 'labtest.order.updated', data: { id: ids.order.toUpperCase(), result } }],
        ['transaction-alone', { event_type: 'labtest.order.updated', data: { x: [{ t: ids.transaction, value }] } }],
        ['appointment', { event_type: 'labtest.appointment.updated', data: { id: ids.appointment, value } }],
        ['report-by-order', { event_type: 'lab_report.parsing_job.updated', data: { job: { order: ids, result } } }],
        ['report-alone', { event_type: 'lab_report.parsing_job.updated', data: { id: ids.job, value } }],
        [
          'review-by-order',
          { event_type: 'labtest.match_review.updated', data: { id: uuid(99), a: ids.order, value } },
        ],
        ['user-deep', { event_type: 'daily.data.sleep.updated', data: { a: { b: [{ user_id }] }, value } }],
        ['customer-id-deep', { event_type: 'moon.phase.changed', data: { a: { b: [{ client_user_id }] }, value } }],
        ['no-event-type', { data: { user_id, value } }],
        ['no-JSON', `{"order_id":"${ids.order}","value":"${value}"`],
        ['too-deep', `${'['.repeat(200_000)}"${user_id}${value}"${']'.repeat(200_000)}`],
        ['another-envelope', event('daily.data.sleep.updated', other, { user_id, value })],
        ['a-long-body', { event_type: 'moon.phase.changed', data: { a: 'a'.repeat(300_000), order: ids, value } }],
        ['another-team', { event_type: 'labtest.order.updated', team_id: uuid(98), data: { id: ids.order, value } }],
      ];
    };

    beforeEach(async () => {
      await deliver(inbox, event('labtest.order.created', user, order(user, ids.order, ids.transaction)));
      const booked = appointment(user, ids.appointment, ids.order);
      await deliver(inbox, event('labtest.appointment.updated', user, booked));
      await deliver(inbox, event('lab_report.parsing_job.created', user, { id: ids.job }));
      await processed(inbox);
      expect(await tablesWith(inbox.store, ids.job)).toContain('parsing_jobs');
      expect(await tablesWith(inbox.store, ids.appointment)).toContain('appointments');
    });

    it('keeps none of its values if it arrives after the erasure', async () => {
      const { body: receipt } = await inbox.admin<Receipt>('DELETE', '/accounts/cust-1');
      await inbox.settle();
      for (const [id, body] of bodies()) expect([id, await deliver(inbox, body, { id })]).toEqual([id, 204]);
      await processed(inbox);
      for (const [id] of bodies()) expect([id, await messagesOf(inbox).byId(id)]).toMatchObject([id, suppressed]);
      for (const text of [value, user.user_id, ...Object.values(ids)]) {
        expect([text, await tablesWith(inbox.store, text)]).toEqual([text, []]);
      }
      const { body } = await inbox.admin('GET', `/erasures/${receipt.erasure_id}`);
      expect(body).toMatchObject({ turned_away: bodies().length });
    });

    it('is deleted with the erasure if it arrived before', async () => {
      for (const [id, body] of bodies()) expect([id, await deliver(inbox, body, { id })]).toEqual([id, 204]);
      await processed(inbox);
      expect(await tablesWith(inbox.store, value)).toContain('message_bodies');
      await inbox.admin('DELETE', '/accounts/cust-1');
      await inbox.settle();
      expect(await tablesWith(inbox.store, value)).toEqual([]);
    });

    it('is kept if it is about another person', async () => {
      await inbox.admin('DELETE', '/accounts/cust-1');
      await inbox.settle();
      const data = { order_id: uuid(97), value };
      await deliver(inbox, { event_type: 'lab_report.parsing_job.created', data }, { id: 'other' });
      await processed(inbox);
      expect(await messagesOf(inbox).byId('other')).toMatchObject({ status: 'dead', reason: 'unknown_user' });
      expect(await tablesWith(inbox.store, value)).toEqual(['message_bodies']);
    });
  });
});
