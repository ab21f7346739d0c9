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
      `SELECT subject_id AS id FROM due_reads
       WHERE kind = 'order' OR (scope = 'order' AND due_at IS NOT NULL)`,
    );

  it.each([
    ['labtest.match_review.created', () => ({ data: { order_id: orderId } })],
    ['labtest.match_review.updated', () => ({ data: { order: { id: orderId } } })],
    ['lab_report.parsing_job.updated', () => ({ data: { order_id: orderId }, user_id })],
  ])(
    '%s causes a read of the order and its results, whichever user it names [webhooks#lab-notices]',
    async (type, rest) => {
      await deliver(inbox, { event_type: type, ...rest() }, { id: 'msg_a' });
      await processed(inbox);
      const message = await messagesOf(inbox).byId('msg_a');
      expect(message).toMatchObject({ status: 'done', event_type: type });
      expect(message.account_id).not.toBeNull();
      expect(await waiting()).toEqual([{ id: orderId }, { id: orderId }]);
      await inbox.advance(60);
      expect(await waiting()).toEqual([]);
    },
  );

  it('are not undone by an older event of the order that arrives before the read', async () => {
    const { order } = await inbox.sandbox.control.createOrder({ user_id, notify: false });
    await deliver(inbox, { event_type: 'labtest.order.created', user_id, data: order }, { id: 'msg_a' });
    await processed(inbox);
    const later = { ...order, updated_at: '2026-11-20T13:00:00+00:00' };
    await deliver(inbox, { event_type: 'labtest.order.updated', user_id, data: later }, { id: 'msg_b' });
    await deliver(inbox, { event_type: 'labtest.match_review.updated', data: { order_id: order.id } }, { id: 'msg_c' });
    await processed(inbox);
    expect(await waiting()).toContainEqual({ id: order.id });
    await deliver(inbox, { event_type: 'labtest.order.updated', user_id, data: order }, { id: 'msg_d' });
    await processed(inbox);
    expect(await waiting()).toContainEqual({ id: order.id });
  });

  it('about a parsed report count by their times, which may lack an offset', async () => {
    const job = (status: string, updated_at: string) => ({
      ...{ event_type: 'lab_report.parsing_job.updated', user_id },
      data: { id: 'job-1', status, updated_at },
    });
    await deliver(inbox, job('completed', '2026-11-20T12:00:05'), { id: 'msg_a' });
    await processed(inbox);
    await deliver(inbox, job('started', '2026-11-20T12:00:01'), { id: 'msg_b' });
    await processed(inbox);
    expect(await inbox.store.reader.rows('SELECT status FROM parsing_jobs')).toEqual([{ status: 'completed' }]);
  });

  it('about a parsed report without times never take it back from its end or from its review', async () => {
    const hear = async (id: string, status: string, is_reviewed: boolean): Promise<unknown[]> => {
      const data = { id: 'job-2', status, needs_human_review: true, is_reviewed };
      await deliver(inbox, { event_type: 'lab_report.parsing_job.updated', user_id, data }, { id });
      await processed(inbox);
      return inbox.store.reader.rows('SELECT status, is_reviewed FROM parsing_jobs');
    };
    expect(await hear('msg_a', 'completed', false)).toEqual([{ status: 'completed', is_reviewed: 0 }]);
    expect(await hear('msg_b', 'started', false)).toEqual([{ status: 'completed', is_reviewed: 0 }]);
    expect(await hear('msg_c', 'completed', true)).toEqual([{ status: 'completed', is_reviewed: 1 }]);
    expect(await hear('msg_d', 'completed', false)).toEqual([{ status: 'completed', is_reviewed: 1 }]);
  });

  describe('a job whose end nobody announces [webhooks#parsing-jobs]', () => {
    const id = uuid(9);
    const listed = async (query = ''): Promise<Record<string, unknown>[]> =>
      (await inbox.admin<{ data: Record<string, unknown>[] }>('GET', `/parsing-jobs${query}`, undefined, 'viewer')).body
        .data;

    beforeEach(async () => {
      const data = { id, status: 'started', needs_human_review: false, is_reviewed: false };
      await deliver(inbox, { event_type: 'lab_report.parsing_job.created', user_id, data }, { id: 'msg_a' });
      await processed(inbox);
    });

    it('is read until it has ended', async () => {
      await inbox.sandbox.control.setParsingJob(id, { status: 'started' });
      await inbox.advance(400);
      expect(await listed()).toMatchObject([{ status: 'started', read: { last_error: 'result_not_ready' } }]);
      await inbox.sandbox.control.setParsingJob(id, { status: 'completed', data: { results: [] } });
      await inbox.advance(3_600);
      expect(await listed()).toMatchObject([{ id, status: 'completed', read: null }]);
      const { body } = await inbox.admin<{ content: unknown }>('GET', `/parsing-jobs/${id}`, undefined, 'reader');
      expect(body.content).toMatchObject({ status: 'completed', data: { results: [] } });
    });

    it('is given up after 30 days, listed and alarmed, until an event tells its end', async () => {
      await inbox.store.lane.run((tx) => tx.execute('UPDATE parsing_jobs SET attempts = 129'));
      await inbox.advance(400);
      expect(await listed('?given_up=true')).toMatchObject([{ id, read: { due_at: null, last_error: 'not_found' } }]);
      const alarms = await inbox.admin<{ data: { code: string }[] }>('GET', '/alarms');
      expect(alarms.body.data.map(({ code }) => code)).toContain('reads_given_up');
      const data = { id, status: 'failed', failure_reason: 'low_quality', is_reviewed: false };
      await deliver(inbox, { event_type: 'lab_report.parsing_job.updated', user_id, data }, { id: 'msg_b' });
      await processed(inbox);
      expect(await listed('?given_up=true')).toEqual([]);
      expect(await listed()).toMatchObject([{ status: 'failed', read: null }]);
    });

    it('is not read after an event told its end', async () => {
      const data = { id, status: 'completed', is_reviewed: false };
      await deliver(inbox, { event_type: 'lab_report.parsing_job.updated', user_id, data }, { id: 'msg_b' });
      await processed(inbox);
      await inbox.advance(3_600);
      expect(await listed()).toMatchObject([{ status: 'completed', read: null }]);
      expect(await inbox.store.reader.rows('SELECT due_at, attempts FROM parsing_jobs')).toEqual([
        { due_at: null, attempts: 0 },
      ]);
    });
  });

  it('about the order of another account change nothing', async () => {
    const other = (await inbox.as('cust-2', 'POST', '/me/sign-in-token', {})).body.user_id;
    await deliver(inbox, { event_type: 'lab_report.parsing_job.created', data: { order_id: orderId }, user_id: other });
    await processed(inbox);
    expect(await waiting()).toEqual([]);
  });

  describe('a report that upstream parses [webhooks#parsing-jobs]', () => {
    const value = 'MARKED-FERRITIN';
    const content = { id: 'Job-7', order_id: '', results: [{ name: value }], updated_at: '2026-11-20T10:00:00+00:00' };
    let sent = 0;
    const parsed = async (data: object, envelope: object = { user_id }): Promise<unknown> => {
      sent += 1;
      await deliver(inbox, { event_type: 'lab_report.parsing_job.updated', ...envelope, data }, { id: `job_${sent}` });
      await processed(inbox);
      return (await messagesOf(inbox).byId(`job_${sent}`)).status;
    };
    const job = async (role: 'viewer' | 'reader' | 'backend' = 'reader'): Promise<Record<string, unknown>> => {
      const { status, body } = await inbox.admin('GET', '/parsing-jobs/JOB-7', undefined, role);
      return { ...body, status_code: status };
    };

    it('is stored as in its newest event, whichever user that names, and shown to those who may read values', async () => {
      expect(await parsed({ ...content, order_id: orderId, status: 'completed' })).toBe('done');
      const newest = { ...content, status: 'corrected', updated_at: '2026-11-20T11:00:00+00:00' };
      expect(await parsed(newest, {})).toBe('done');
      expect(await parsed({ ...content, status: 'late' })).toBe('done');
      const shown = {
        ...{ id: 'job-7', account_id: 'cust-1', order_id: orderId, status: 'corrected', created_at: null },
        updated_at: '2026-11-20T11:00:00.000Z',
        ...{ first_seen_at: expect.any(String), observed_at: expect.any(String) },
        read: { due_at: expect.any(String), last_error: null },
      };
      for (const role of ['reader', 'backend'] as const) {
        expect(await job(role)).toEqual({ ...shown, content: newest, status_code: 200 });
      }
      expect(await job('viewer')).toMatchObject({ status_code: 403 });
      const listed = (query: string): Promise<{ body: unknown }> =>
        inbox.admin('GET', `/parsing-jobs?${query}`, undefined, 'viewer');
      for (const query of ['', 'account_id=cust-1', `order_id=${orderId}`]) {
        expect((await listed(query)).body).toEqual({ data: [shown], next_cursor: null });
      }
      for (const query of ['account_id=cust-2', `order_id=${uuid(7)}`]) {
        expect((await listed(query)).body).toEqual({ data: [], next_cursor: null });
      }
      expect((await inbox.admin('GET', '/parsing-jobs', undefined, 'monitor')).status).toBe(403);
    });

    it('without times has the latest event, even when an earlier message is replayed', async () => {
      const { updated_at: _none, ...timeless } = content;
      await parsed({ ...timeless, status: 'created' });
      await inbox.wait(60);
      await parsed({ ...timeless, status: 'completed' });
      await inbox.admin('POST', `/messages/job_${sent - 1}/replay`);
      await inbox.settle();
      expect(await job()).toMatchObject({ status: 'completed' });
    });

    it('of one account is not changed by an event of another, and is deleted with its person', async () => {
      await parsed({ ...content, status: 'completed' });
      const { user_id: other } = (await inbox.as('cust-2', 'POST', '/me/sign-in-token', {})).body;
      await parsed({ id: 'job-7', status: 'stolen', updated_at: '2026-11-21T10:00:00+00:00' }, { user_id: other });
      expect(await job()).toMatchObject({ account_id: 'cust-1', status: 'completed' });
      await inbox.admin('DELETE', '/accounts/cust-1');
      await inbox.settle();
      expect(await countOf(inbox, 'parsing_jobs')).toBe(0);
      expect(await job()).toMatchObject({ status_code: 404 });
    });

    it('outlives the bodies of its messages', async () => {
      await parsed({ ...content, status: 'completed' });
      await inbox.advance(31 * 86_400);
      expect(await countOf(inbox, 'message_bodies')).toBe(0);
      expect(await job()).toMatchObject({ status: 'completed', content: { results: [{ name: value }] } });
    });
  });

  it('about unknown users stay readable', async () => {
    const body = { event_type: 'labtest.match_review.created', data: { order_id: uuid(7), note: 'any' } };
    await deliver(inbox, body, { id: 'msg_a' });
    await processed(inbox);
    expect(await messagesOf(inbox).byId('msg_a')).toMatchObject({ status: 'dead', reason: 'unknown_user' });
    const answer = await inbox.admin<{ body: unknown }>('GET', '/messages/msg_a', undefined, 'reader');
    expect(answer.body.body).toEqual(body);
    expect(await countOf(inbox, 'orders')).toBe(1);
  });
});
