import { TestApp } from '../../support/test-app.js';
import { countOf, deliver, messagesOf, processed } from './support/deliveries.js';
import { uuid } from './support/events.js';

describe('an order event', () => {
  it('with an entry that cannot be read is stored without that entry, which is counted', async () => {
    const inbox = await TestApp.create();
    const { user_id } = (await inbox.as<{ user_id: string }>('cust-1', 'POST', '/me/sign-in-token', {})).body;
    const { order } = await inbox.sandbox.control.createOrder({ user_id, notify: false });
    const data = {
      ...order,
      events: [...(order['events'] as unknown[]), { id: 'no number', status: null }],
      order_transaction: {
        ...order.order_transaction,
        orders: [...order.order_transaction.orders, { origin: 'redraw' }],
      },
    };
    await deliver(inbox, { event_type: 'labtest.order.created', user_id, data }, { id: 'msg_a' });
    await processed(inbox);
    expect(await messagesOf(inbox).byId('msg_a')).toMatchObject({ status: 'done' });
    expect(await countOf(inbox, 'orders')).toBe(1);
    expect(await countOf(inbox, 'order_events')).toBe(1);
    expect(await inbox.metric('upstream_unreadable_items_total', { operation: 'webhook' })).toBe(2);
    await inbox.close();
  });
});

describe('notices about lab orders', () => {
  let inbox: TestApp;
  let user_id: string;
  let orderId: string;

  beforeEach(async () => {
    inbox = await TestApp.create();
    ({ user_id } = (await inbox.as('cust-1', 'POST', '/me/sign-in-token', {})).body);
    const { order } = await inbox.sandbox.control.createOrder({ user_id });
    orderId = order.id;
    await inbox.sandbox.control.walkOrder(orderId);
    await inbox.settle();
  });

  afterEach(() => inbox.close());

  const waiting = (): Promise<unknown[]> =>
    inbox.store.reader.rows(
      `SELECT order_id AS id FROM order_refreshes UNION ALL SELECT subject_id FROM result_fetches
       WHERE scope = 'order' AND due_at IS NOT NULL`,
    );

  it.each([
    ['labtest.match_review.created', () => ({ data: { order_id: orderId } })],
    ['labtest.match_review.updated', () => ({ data: { order: { id: orderId } } })],
    ['lab_report.parsing_job.updated', () => ({ data: { order_id: orderId }, user_id })],
  ])('%s has the order and its results read again, whoever it names [webhooks#lab-notices]', async (type, rest) => {
    await deliver(inbox, { event_type: type, ...rest() }, { id: 'msg_a' });
    await processed(inbox);
    const message = await messagesOf(inbox).byId('msg_a');
    expect(message).toMatchObject({ status: 'done', event_type: type });
    expect(message.account_id).not.toBeNull();
    expect(await waiting()).toEqual([{ id: orderId }, { id: orderId }]);
    await inbox.advance(60);
    expect(await waiting()).toEqual([]);
  });

  it('about the order of another account change nothing', async () => {
    const other = (await inbox.as('cust-2', 'POST', '/me/sign-in-token', {})).body.user_id;
    await deliver(inbox, { event_type: 'lab_report.parsing_job.created', data: { order_id: orderId }, user_id: other });
    await processed(inbox);
    expect(await waiting()).toEqual([]);
  });

  it('about nobody known stay readable', async () => {
    const body = { event_type: 'labtest.match_review.created', data: { order_id: uuid(7), note: 'any' } };
    await deliver(inbox, body, { id: 'msg_a' });
    await processed(inbox);
    expect(await messagesOf(inbox).byId('msg_a')).toMatchObject({ status: 'dead', reason: 'unknown_user' });
    const answer = await inbox.admin<{ body: unknown }>('GET', '/messages/msg_a', undefined, 'reader');
    expect(answer.body.body).toEqual(body);
    expect(await countOf(inbox, 'orders')).toBe(1);
  });
});
