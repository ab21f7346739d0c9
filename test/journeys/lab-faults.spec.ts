import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { newAccountId } from '../support/environment.js';
import { TestApp } from '../support/test-app.js';

const minute = 60;

let app: TestApp;
let user_id: string;

beforeAll(async () => {
  app = await TestApp.create();
});

beforeEach(async () => {
  user_id = (await app.as<{ user_id: string }>(newAccountId(), 'POST', '/me/sign-in-token', {})).body.user_id;
});

afterEach(() => app.sandbox.control.clearFaults());

afterAll(() => app.close());

async function place(): Promise<string> {
  const { order } = await app.sandbox.control.createOrder({ user_id });
  await app.settle();
  return order.id;
}

describe('labs at their worst', () => {
  it('a result that is 404 for minutes after its event is fetched once it is there', async () => {
    const order = await place();
    await app.sandbox.control.fault({
      kind: 'status',
      status: 404,
      path: `/v3/order/${order}/result`,
      seconds: 8 * minute,
    });
    await app.sandbox.control.walkOrder(order);
    await app.advance(minute, 2);
    const stored = (): Promise<unknown[]> =>
      app.store.reader.rows(`SELECT source FROM lab_results WHERE scope = 'order' AND subject_id = ?`, [order]);
    expect(await stored()).toEqual([]);
    // The pause of the last read before that may be ten minutes.
    await app.advance(20 * minute, 12);
    expect(await stored()).toEqual([{ source: 'fetch' }]);
  });

  it('a critical result whose own event is lost is on the list of patients to notify', async () => {
    const order = await place();
    await app.sandbox.control.fault({ kind: 'lose', event_type: 'labtest.result.critical' });
    await app.sandbox.control.setResult(order, {
      results: [{ name: 'Potassium', slug: 'potassium', result: '7.1', type: 'numeric', interpretation: 'critical' }],
    });
    await app.sandbox.control.walkOrder(order);
    await app.sandbox.control.critical(order);
    await app.advance(10 * minute, 3);
    const { body } = await app.admin<{ data: { order_id: string }[] }>(
      'GET',
      '/orders?critical=true&notified=false',
      undefined,
      'viewer',
    );
    expect(body.data.map(({ order_id }) => order_id)).toContain(order);
  });

  it('a parsing job that goes backwards keeps its end [parsing#the-job]', async () => {
    const id = 'job-that-goes-back';
    const hear = async (status: string): Promise<void> => {
      const data = { id, status, needs_human_review: false, is_reviewed: false };
      const event = { event_type: 'lab_report.parsing_job.updated', user_id, data };
      await app.sandbox.control.setParsingJob(id, { status });
      await app.sandbox.control.send({ raw: JSON.stringify(event) });
      await app.settle();
    };
    await hear('completed');
    await hear('started');
    await app.advance(10 * minute, 3);
    expect(await app.admin('GET', `/parsing-jobs/${id}`, undefined, 'reader')).toMatchObject({
      status: 200,
      body: { status: 'completed', read: null },
    });
  });

  it('a PDF that is cut off never arrives as a complete file', async () => {
    const order = await place();
    await app.sandbox.control.walkOrder(order);
    await app.settle();
    for (const path of [`/v3/order/${order}/requisition/pdf`, `/v3/order/${order}/result/pdf`]) {
      await app.sandbox.control.fault({ kind: 'truncate', path });
    }
    for (const path of ['requisition.pdf', 'result/pdf']) {
      const headers = { authorization: 'Bearer backend-key' };
      const request = get(`${app.url}/admin/v1/orders/${order}/${path}`, { headers });
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      if (response.statusCode === 200) await expect(buffer(response)).rejects.toThrow('aborted');
      else expect(response.resume().statusCode).toBe(503);
    }
  });
});
