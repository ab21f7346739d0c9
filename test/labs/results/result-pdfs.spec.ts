import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { newAccountId } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';
import { until } from '../../support/until.js';

const megabyte = 1_048_576;

interface Order {
  id: string;
  transaction: string;
}

let app: TestApp;
let user_id: string;

beforeAll(async () => {
  app = await TestApp.create();
  user_id = (await app.as<{ user_id: string }>(newAccountId(), 'POST', '/me/sign-in-token', {})).body.user_id;
});

afterAll(() => app.close());

async function place(to = 'completed'): Promise<Order> {
  const { order } = await app.sandbox.control.createOrder({ user_id });
  await app.sandbox.control.walkOrder(order.id, { to });
  await app.settle();
  return { id: order.id, transaction: order.order_transaction.id };
}

const pathOf = ({ id }: Order): string => `/admin/v1/orders/${id}/result/pdf`;

/** An answer of which nothing is read until the test does. */
async function download(path: string): Promise<IncomingMessage> {
  const request = get(`${app.url}${path}`, { headers: { authorization: 'Bearer reader-key' } });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
}

const stored = (order: Order): Promise<Record<string, unknown>[]> =>
  app.store.reader.rows(
    `SELECT scope, version, checksum, bytes FROM lab_results WHERE form = 'pdf' AND subject_id IN (?, ?)
     ORDER BY version`,
    [order.id, order.transaction],
  );

async function downloadOf(order: Order): Promise<{ sent: number; state: string }> {
  const all = await app.sandbox.control.downloads(order.id);
  return all.at(-1) ?? { sent: 0, state: 'none' };
}

/** How far upstream got once it does not get any further. */
async function sentAtRest(order: Order): Promise<number> {
  let sent = -1;
  let unchanged = 0;
  await until(async () => {
    const now = (await downloadOf(order)).sent;
    unchanged = now === sent ? unchanged + 1 : 0;
    sent = now;
    await nextTurn();
    return unchanged >= 20;
  });
  return sent;
}

describe('the PDF of a result', () => {
  it.each([
    ['an order', pathOf, (order: Order) => order.id],
    [
      'a transaction',
      (order: Order) => `/admin/v1/order-transactions/${order.transaction}/result/pdf`,
      (order: Order) => order.transaction,
    ],
  ])('of %s is returned as a file, and its size and checksum are stored [results#pdf]', async (_, path, name) => {
    const order = await place();
    const response = await download(path(order));
    expect(response.statusCode).toBe(200);
    expect(response.headers).toMatchObject({
      'content-type': 'application/pdf',
      'content-disposition': `attachment; filename="${name(order)}.pdf"`,
      'cache-control': 'no-store',
      'transfer-encoding': 'chunked',
    });
    const bytes = await buffer(response);
    expect(bytes.subarray(0, 5).toString()).toBe('%PDF-');
    const checksum = createHash('sha256').update(bytes).digest('hex');
    expect(await stored(order)).toMatchObject([{ version: 1, checksum, bytes: bytes.length }]);
  });

  it('has one version until it changes, shown with the result', async () => {
    const order = await place();
    await buffer(await download(pathOf(order)));
    await buffer(await download(pathOf(order)));
    expect(await stored(order)).toHaveLength(1);
    await app.sandbox.control.setResult(order.id, { pdf_bytes: 1_000 });
    await buffer(await download(pathOf(order)));
    const { body } = await app.admin('GET', `/orders/${order.id}/result`, undefined, 'reader');
    expect(body['pdf_versions']).toMatchObject([{ version: 2, bytes: 1_000 }, { version: 1 }]);
  });

  it('is never buffered: upstream waits while the caller does not read', async () => {
    const order = await place();
    await app.sandbox.control.setResult(order.id, { pdf_bytes: 64 * megabyte });
    const response = await download(pathOf(order));
    // What the network itself holds back, twice, is all that may have left upstream.
    expect(await sentAtRest(order)).toBeLessThan(32 * megabyte);
    expect((await downloadOf(order)).state).toBe('open');
    let read = 0;
    for await (const chunk of response) read += (chunk as Buffer).length;
    expect(read).toBe(64 * megabyte);
    expect(await stored(order)).toMatchObject([{ bytes: 64 * megabyte }]);
  });

  it('is let go upstream when the caller hangs up', async () => {
    const order = await place();
    await app.sandbox.control.setResult(order.id, { pdf_bytes: 64 * megabyte });
    const response = await download(pathOf(order));
    response.destroy();
    await until(async () => (await downloadOf(order)).state === 'broken');
    expect(await stored(order)).toEqual([]);
  });

  it('is let go upstream when the caller hangs up before the first byte', async () => {
    const order = await place();
    await app.sandbox.control.fault({ kind: 'timeout', path: `/v3/order/${order.id}/result/pdf` });
    const request = get(`${app.url}${pathOf(order)}`, { headers: { authorization: 'Bearer reader-key' } });
    request.on('error', () => undefined);
    const path = '/v3/order/:order_id/result/pdf';
    const calls = async (): Promise<number> => (await app.sandbox.control.calls({ path })).calls.length;
    const before = await calls();
    await until(async () => (await struck()) > 0);
    request.destroy();
    await until(async () => (await calls()) > before);
    await app.sandbox.control.clearFaults();
    expect(await stored(order)).toEqual([]);
    const recorded = (): Promise<unknown[]> =>
      app.store.reader.rows('SELECT id FROM access_log_pending WHERE target = ? AND status = 499', [
        `order:${order.id}`,
      ]);
    await until(async () => (await recorded()).length === 1);
  });

  it('is cut, and never looks complete, when upstream breaks off', async () => {
    const order = await place();
    await app.sandbox.control.setResult(order.id, { pdf_bytes: 4 * megabyte, pdf_break_after: megabyte });
    const response = await download(pathOf(order));
    expect(response.statusCode).toBe(200);
    await expect(buffer(response)).rejects.toThrow('aborted');
    expect(await stored(order)).toEqual([]);
    expect(app.logs.some((line) => line.includes('order.result_pdf_failed') && line.includes('broken'))).toBe(true);
  });

  it('is a problem when upstream breaks off before the first byte', async () => {
    const order = await place();
    await app.sandbox.control.setResult(order.id, { pdf_break_after: 0 });
    const answer = await app.admin('GET', `/orders/${order.id}/result/pdf`, undefined, 'reader');
    expect([answer.status, answer.body['code']]).toEqual([503, 'upstream_unavailable']);
    expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
    expect(answer.headers['content-disposition']).toBeUndefined();
  });

  it.each([
    [404, 'result_not_ready', 404],
    [503, 'upstream_unavailable', 503],
    [403, 'upstream_rejected', 502],
  ])('is a problem when upstream responds with %i', async (upstream, code, status) => {
    const order = await place();
    await app.sandbox.control.fault({ kind: 'status', status: upstream, path: `/v3/order/${order.id}/result/pdf` });
    const answer = await app.admin('GET', `/orders/${order.id}/result/pdf`, undefined, 'reader');
    await app.sandbox.control.clearFaults();
    expect([answer.status, answer.body['code']]).toEqual([status, code]);
  });

  it('is not ready before there are results', async () => {
    const order = await place('requisition_created');
    const answer = await app.admin('GET', `/order-transactions/${order.transaction}/result/pdf`, undefined, 'reader');
    expect([answer.status, answer.body['code']]).toEqual([404, 'result_not_ready']);
  });
});

async function struck(): Promise<number> {
  const { faults } = await app.sandbox.control.faults();
  return faults.reduce((sum, fault) => sum + fault.struck, 0);
}
