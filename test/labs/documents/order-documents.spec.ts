import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { TransportTuning } from '../../../src/upstream/transport/transport-tuning.js';
import { newAccountId } from '../../support/environment.js';
import type { Answer } from '../../support/http.js';
import { TestApp } from '../../support/test-app.js';
import { until } from '../../support/until.js';

type Body = Record<string, unknown> & string;

const megabyte = 1_048_576;
const documents = [
  ['requisition', 'requisition/pdf'],
  ['labels', 'labels/pdf'],
  ['collection-instructions', 'collection_instruction_pdf'],
  ['abn', 'abn_pdf'],
] as const;

let app: TestApp;
let account_id: string;
let user_id: string;

beforeAll(async () => {
  app = await TestApp.create();
  account_id = newAccountId();
  user_id = (await app.as<{ user_id: string }>(account_id, 'POST', '/me/sign-in-token', {})).body.user_id;
});

afterEach(() => app.sandbox.control.clearFaults());

afterAll(() => app.close());

async function place({ to = 'requisition_created', user = user_id, abn = true } = {}): Promise<string> {
  const { order } = await app.sandbox.control.createOrder({ user_id: user });
  if (to !== 'ordered') await app.sandbox.control.walkOrder(order.id, { to });
  await app.sandbox.control.setDocuments(order.id, { has_abn: abn });
  await app.settle();
  return order.id;
}

const read = (order: string, name: string): Promise<Answer<Body>> =>
  app.admin<Body>('GET', `/orders/${order}/${name}.pdf`, undefined, 'backend');
const own = (order: string, name: string, account = account_id): Promise<Answer<Body>> =>
  app.as<Body>(account, 'GET', `/me/orders/${order}/${name}.pdf`);

/** An answer of which nothing is read until the test does. */
async function download(path: string, token: string): Promise<IncomingMessage> {
  const request = get(`${app.url}${path}`, { headers: { authorization: `Bearer ${token}` } });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
}

const newestEntry = async (): Promise<Record<string, unknown> | null> => {
  await app.chainAccesses();
  const sql = 'SELECT action, actor, target, status, resource FROM access_log ORDER BY seq DESC LIMIT 1';
  return app.store.reader.row(sql);
};

describe.each(documents)('%s.pdf of an order', (name, path) => {
  it('is streamed to the backend and to the person, recorded and not stored [orders#documents]', async () => {
    const order = await place();
    for (const [token, address] of [
      ['backend-key', `/admin/v1/orders/${order}/${name}.pdf`],
      [await app.appToken(account_id), `/v1/me/orders/${order}/${name}.pdf`],
    ] as const) {
      const response = await download(address, token);
      expect(response.statusCode).toBe(200);
      expect(response.headers).toMatchObject({
        'content-type': 'application/pdf',
        'content-disposition': `attachment; filename="${name}-${order}.pdf"`,
        'cache-control': expect.stringContaining('no-store') as string,
      });
      expect((await buffer(response)).subarray(0, 5).toString()).toBe('%PDF-');
      expect(await newestEntry()).toMatchObject({ target: `order:${order}`, status: 200, resource: 'order_documents' });
    }
    expect(await app.store.reader.rows('SELECT * FROM lab_results WHERE subject_id = ?', [order])).toEqual([]);
  });

  it('is never seen by another person, and upstream is not asked', async () => {
    const order = await place();
    const stranger = newAccountId();
    await app.as(stranger, 'POST', '/me/sign-in-token', {});
    await app.sandbox.control.clearCalls();
    expect(await own(order, name, stranger)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect((await app.sandbox.control.calls({ path: '/v3/order' })).calls).toEqual([]);
  });

  it.each([
    [404, 'document_not_ready', 404],
    [503, 'upstream_unavailable', 503],
    [403, 'upstream_rejected', 502],
    [429, 'upstream_throttled', 503],
  ])('is a problem when upstream responds with %i, and a file afterwards', async (upstream, code, status) => {
    const order = await place();
    await app.sandbox.control.fault({ kind: 'status', status: upstream, path: `/v3/order/${order}/${path}` });
    for (const answer of [await read(order, name), await own(order, name)]) {
      expect([answer.status, answer.body['code']]).toEqual([status, code]);
      expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
      expect(answer.headers['content-disposition']).toBeUndefined();
    }
    await app.sandbox.control.clearFaults();
    await app.wait(60);
    expect((await read(order, name)).body.slice(0, 5)).toBe('%PDF-');
  });

  it('is cut, and never looks complete, when upstream breaks off', async () => {
    const order = await place();
    await app.sandbox.control.setDocuments(order, { pdf_bytes: 4 * megabyte, pdf_break_after: megabyte });
    const response = await download(`/admin/v1/orders/${order}/${name}.pdf`, 'backend-key');
    expect(response.statusCode).toBe(200);
    await expect(buffer(response)).rejects.toThrow('aborted');
    const failed = (line: string): boolean => line.includes('order.document_failed') && line.includes(order);
    await until(async () => app.logs.some(failed));
  });
});

describe('the documents of an order', () => {
  it('are 404 with the reason while upstream has none [orders#documents]', async () => {
    const order = await place({ to: 'ordered', abn: false });
    const requisition = await read(order, 'requisition');
    expect([requisition.status, requisition.body['code']]).toEqual([404, 'document_not_ready']);
    expect(requisition.body['detail']).toContain('requisition_created');
    const abn = await own(order, 'abn');
    expect([abn.status, abn.body['code']]).toEqual([404, 'document_not_ready']);
    expect(abn.body['detail']).toContain('has_abn');
  });

  it('are a problem when upstream breaks off before the first byte, or sends nothing', async () => {
    const order = await place();
    await app.sandbox.control.setDocuments(order, { pdf_break_after: 0 });
    expect(await read(order, 'requisition')).toMatchObject({ status: 503, body: { code: 'upstream_unavailable' } });
    await app.sandbox.control.setDocuments(order, { pdf_break_after: null });
    await app.sandbox.control.fault({ kind: 'wrong_type', path: `/v3/order/${order}/requisition/pdf` });
    expect(await read(order, 'requisition')).toMatchObject({ status: 502, body: { code: 'upstream_contract' } });
  });

  it('are refused above the limit of size', async () => {
    const order = await place();
    const tuning = app.pulsekeep.app.get(TransportTuning);
    const most = tuning.maxPdfBytes;
    tuning.maxPdfBytes = megabyte;
    await app.sandbox.control.setDocuments(order, { pdf_bytes: 4 * megabyte });
    const response = await download(`/admin/v1/orders/${order}/labels.pdf`, 'backend-key');
    let bytes = 0;
    const reading = (async () => {
      for await (const chunk of response) bytes += (chunk as Buffer).length;
    })();
    await expect(reading).rejects.toThrow('aborted');
    tuning.maxPdfBytes = most;
    expect(bytes).toBeLessThanOrEqual(megabyte);
    const [{ state } = { state: 'none' }] = await app.sandbox.control.downloads(order);
    expect(state).not.toBe('ended');
  });

  it('are let go upstream when the caller hangs up', async () => {
    const order = await place();
    await app.sandbox.control.setDocuments(order, { pdf_bytes: 64 * megabyte });
    const response = await download(`/admin/v1/orders/${order}/labels.pdf`, 'backend-key');
    response.destroy();
    await until(async () => (await app.sandbox.control.downloads(order)).at(-1)?.state === 'broken');
  });

  it('of an order that is not known here are not asked for on behalf of a person', async () => {
    const { order } = await app.sandbox.control.createOrder({ user_id, notify: false });
    await app.sandbox.control.clearCalls();
    expect(await own(order.id, 'requisition')).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect((await app.sandbox.control.calls({ path: '/v3/order' })).calls).toEqual([]);
  });

  it('are not found for an order of no account', async () => {
    expect(await read('0d1c8a5e-0000-4000-8000-00000000000a', 'abn')).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    });
  });

  it('include as many labels as are wanted, for the day of the collection', async () => {
    const order = await place();
    await app.sandbox.control.clearCalls();
    const path = `/orders/${order}/labels.pdf?number_of_labels=3&collection_date=2026-11-20`;
    expect((await app.admin('GET', path, undefined, 'backend')).status).toBe(200);
    const { calls } = await app.sandbox.control.calls({ path: '/v3/order/:order_id/labels/pdf' });
    expect(calls.map(({ query_keys }) => query_keys)).toEqual([['number_of_labels', 'collection_date']]);
    for (const query of ['number_of_labels=0', 'number_of_labels=x', 'collection_date=tomorrow', 'pages=1']) {
      const answer = await app.admin<Body>('GET', `/orders/${order}/labels.pdf?${query}`, undefined, 'backend');
      expect([query, answer.status, answer.body['code']]).toEqual([query, 400, 'invalid_request']);
    }
  });
});

describe('the collection instructions of a lab test', () => {
  it('are streamed to everybody who may read the tests [orders#documents]', async () => {
    const { data } = (await app.admin<{ data: { id: string }[] }>('GET', '/labs/tests', undefined, 'viewer')).body;
    const path = (id = ''): string => `/labs/tests/${id}/collection-instructions.pdf`;
    const answer = await app.admin<string>('GET', path(data[0]?.id), undefined, 'viewer');
    expect([answer.status, answer.body.slice(0, 5)]).toEqual([200, '%PDF-']);
    const none = await app.admin<Body>('GET', path('0d1c8a5e-0000-4000-8000-00000000000a'), undefined, 'viewer');
    expect([none.status, none.body['code']]).toEqual([404, 'document_not_ready']);
  });
});
