import { buffer } from 'node:stream/consumers';
import { type Sandbox, startSandbox } from '../../../sandbox/server.js';
import type { UpstreamClient } from '../../../src/upstream/client/upstream.client.js';
import { apiKey, type ClientUnderTest, clientFor, errorOf } from './support/client.js';

const o = { priority: 'bulk' } as const;
const unknownId = '00000000-0000-4000-8000-00000000dead';

let sandbox: Sandbox;
let underTest: ClientUnderTest;
let client: UpstreamClient;

beforeEach(async () => {
  sandbox = await startSandbox({ seed: 'upstream-client', timeScale: 0, apiKey });
  underTest = clientFor(sandbox.url);
  client = underTest.client;
});
afterEach(async () => {
  underTest.transport.onApplicationShutdown();
  await sandbox.close();
});

async function newUser(clientUserId = 'cust-1'): Promise<string> {
  const creation = await client.createUser({ client_user_id: clientUserId }, o);
  return creation.outcome === 'created' ? creation.user.user_id : creation.user_id;
}

const refused = (status: number, shape?: string) => ({
  kind: 'rejected',
  status,
  ...(shape !== undefined && { detail: { shape } }),
});

const address = { first_line: '1 Way', city: 'Phoenix', state: 'AZ', zip: '85004', country: 'US' };
const patient = {
  first_name: 'Test',
  last_name: 'Person',
  dob: '1980-01-02',
  gender: 'female',
  phone_number: '+10000000000',
  email: 'test@example.org',
};

async function orderBody(): Promise<object> {
  const user_id = await newUser();
  const { lab_tests } = await sandbox.control.labTests();
  const labTest = lab_tests.find(({ method }) => method === 'walk_in_test');
  return {
    user_id,
    patient_details: patient,
    patient_address: address,
    order_set: { lab_test_ids: [labTest?.id] },
    collection_method: 'walk_in_test',
  };
}

describe('labs', () => {
  it.each(['body', 'query'] as const)('have slots, asked for in the %s', async (place) => {
    await sandbox.control.configure({ availability_input: place });
    const near = { lab: 'quest', radius: '25', allow_stale: false };
    const zips = ['85004', '10001', '33101', '60601', '90001'];
    const found = await Promise.all(zips.map((zip_code) => client.availability({ ...near, zip_code }, place, o)));
    const days = found.flatMap(({ slots }) => slots);
    expect(days.length).toBeGreaterThan(0);
    expect(days.flatMap(({ slots }) => slots).length).toBeGreaterThan(0);
    const code = String(days[0]?.location?.code);
    expect((await client.availability({ ...near, site_codes: [code] }, place, o)).slots.length).toBeGreaterThan(0);
    expect(await client.availability({ ...near, zip_code: '00000' }, place, o)).toEqual({ slots: [], timezone: null });
    expect(await errorOf(client.availability({ ...near, site_codes: ['?', '?'] }, place, o))).toMatchObject(
      refused(400),
    );
    expect(await errorOf(client.availability({ ...near, zip_code: 'abc' }, place, o))).toMatchObject(
      refused(422, 'validation'),
    );
  });

  it('have a compendium in both modes', async () => {
    const canonical = await client.compendiumSearch({ mode: 'canonical', query: 'a', limit: 1 }, o);
    expect(canonical).toMatchObject({ mode: 'canonical', per_lab: {}, related: [] });
    const hash = canonical.selected_canonical?.loinc_set_hash;
    const crosswalk = await client.compendiumSearch({ mode: 'crosswalk', loinc_set_hash: hash, labs: ['quest'] }, o);
    expect(Object.keys(crosswalk.per_lab)).toEqual(['quest']);
    expect(crosswalk.related.length).toBeGreaterThan(0);
    const nothing = await client.compendiumSearch({ mode: 'canonical', query: 'no such test' }, o);
    expect(nothing).toMatchObject({ selected_canonical: null, canonical_candidates: [] });
    expect(await errorOf(client.compendiumSearch({ mode: 'canonical' }, o))).toMatchObject(refused(422));
    expect(await errorOf(client.compendiumSearch({ mode: 'no_mode', query: 'a' }, o))).toMatchObject(refused(422));
  });
});

describe('orders', () => {
  it('are placed once for one key, read and cancelled', async () => {
    const body = await orderBody();
    await sandbox.control.fault({ kind: 'drop_after', path: '/v3/order', method: 'POST', times: 1 });
    expect(await errorOf(client.createOrder(body, 'key-1', o))).toMatchObject({ kind: 'unavailable' });
    const { order } = await client.createOrder(body, 'key-1', o);
    expect((await client.createOrder(body, 'key-1', o)).order.id).toBe(order.id);
    expect(order).toMatchObject({ origin: 'initial', order_transaction: { status: 'active' } });
    expect(order.last_event?.status).toBe('received.walk_in_test.ordered');
    expect(await client.order(order.id, o)).toMatchObject({ id: order.id, origin: 'initial' });
    expect((await sandbox.control.truthOrders()).orders).toHaveLength(1);
    const cancelled = await client.cancelOrder(order.id, o);
    expect(cancelled.order.last_event?.status).toBe('cancelled.walk_in_test.cancelled');
    expect(await errorOf(client.cancelOrder(order.id, o))).toMatchObject(refused(400, 'order'));
    expect(await errorOf(client.cancelOrder(unknownId, o))).toMatchObject(refused(404));
  });

  it('are refused with the places that are wrong, and unknown ones with 404', async () => {
    const body = await orderBody();
    const unplaced = client.createOrder({ ...body, patient_address: { ...address, zip: 'x' } }, 'key-1', o);
    expect(await errorOf(unplaced)).toMatchObject({
      ...refused(422),
      detail: { shape: 'validation', locs: ['body.patient_address.zip'] },
    });
    expect(await errorOf(client.order(unknownId, o))).toMatchObject(refused(404, 'text'));
    expect(await errorOf(client.order('no-uuid', o))).toMatchObject({ kind: 'rejected' });
  });

  it('are listed by filters given more than once, page by page', async () => {
    const user_id = await newUser();
    const placed = [];
    for (let i = 0; i < 3; i++) placed.push((await sandbox.control.createOrder({ user_id })).order.id);
    const order = { order_key: 'created_at', order_direction: 'asc' } as const;
    const first = await client.orders({ user_id, ...order, page: 1, size: 2 }, o);
    const second = await client.orders({ user_id, ...order, page: 2, size: 2 }, o);
    expect(first).toMatchObject({ total: 3, size: 2 });
    expect([...first.orders, ...second.orders].map(({ id }) => id).sort()).toEqual(placed.sort());
    const two = placed.slice(0, 2);
    expect((await client.orders({ order_ids: two, status: ['ordered', 'completed'] }, o)).orders).toHaveLength(2);
    expect(await errorOf(client.orders({ status: ['no_status'] }, o))).toMatchObject(refused(422));
    expect(await errorOf(client.orders({ size: 101 }, o))).toMatchObject({ kind: 'rejected' });
  });

  it('are linked by their transaction through a redraw, with results and PDF', async () => {
    const user_id = await newUser();
    const { order } = await sandbox.control.createOrder({ user_id, lab: 'quest', collection_method: 'walk_in_test' });
    const transactionId = order.order_transaction.id;
    expect(await errorOf(client.orderResult(order.id, o))).toMatchObject(refused(404));
    expect(await errorOf(client.transactionResult(transactionId, o))).toMatchObject(refused(404));
    expect(await errorOf(client.transactionResultPdf(transactionId, o))).toMatchObject(refused(404, 'text'));
    expect(await errorOf(client.orderResultPdf(order.id, o))).toMatchObject(refused(404, 'text'));
    await sandbox.control.walkOrder(order.id, { to: 'requisition_created' });
    const { redraw } = await sandbox.control.redraw(order.id);
    const transaction = await client.orderTransaction(transactionId, o);
    expect(transaction).toMatchObject({ id: transactionId, status: 'active' });
    expect(transaction.orders.map(({ id, origin }) => [id, origin])).toEqual([
      [order.id, 'initial'],
      [redraw.id, 'redraw'],
    ]);
    expect(transaction.orders[0]?.low_level_status).toBe('redraw_available');
    await sandbox.control.walkOrder(redraw.id);
    expect(await client.orderTransaction(transactionId, o)).toMatchObject({ status: 'completed' });
    expect(await client.orderResult(redraw.id, o)).toMatchObject({ status: 'final' });
    const combined = await client.transactionResult(transactionId, o);
    expect(combined.order_transaction).toMatchObject({ id: transactionId });
    expect((combined.results as unknown[]).length).toBeGreaterThan(0);
    const { stream } = await client.transactionResultPdf(transactionId, o);
    expect((await buffer(stream)).subarray(0, 5).toString()).toBe('%PDF-');
    const { stream: ofOrder } = await client.orderResultPdf(redraw.id, o);
    expect((await buffer(ofOrder)).subarray(0, 5).toString()).toBe('%PDF-');
    expect(await errorOf(client.orderTransaction(unknownId, o))).toMatchObject(refused(404));
    expect(await errorOf(client.transactionResultPdf('no-uuid', o))).toMatchObject({ kind: 'rejected' });
  });
});
