import { newId } from '../../../src/platform/platform/ids.js';
import { newAccountId } from '../../support/environment.js';
import { orderBody, place, placedUpstream } from '../../support/ordering.js';
import { TestApp } from '../../support/test-app.js';

let app: TestApp;
let account_id: string;
let user_id: string;
let body: Record<string, unknown>;

beforeAll(async () => {
  app = await TestApp.create();
  await app.sandbox.control.configure({ user_limit: null });
});

beforeEach(async () => {
  account_id = newAccountId();
  user_id = (await app.admin<{ user_id: string }>('POST', '/accounts', { account_id })).body.user_id;
  body = { ...(await orderBody(app.sandbox.control)), account_id };
  await app.sandbox.control.clearCalls();
});

afterAll(() => app.close());

const calls = async (): Promise<number> => (await placedUpstream(app.sandbox.control)).calls;

interface Row {
  [column: string]: string | number | null;
}

const rows = (sql: string, ...values: string[]): Promise<Row[]> => app.store.reader.rows<Row>(sql, values);
const placementOf = async (orderId: string): Promise<Row | undefined> =>
  (await rows('SELECT * FROM idempotency_keys WHERE outcome_id = ?', orderId))[0];

describe('an order placed by an operator', () => {
  it('is placed upstream for the user of the account, and returned with its pair and its state [orders#place-an-order] [orders#order-transactions]', async () => {
    const { status, body: order } = await place(app, newId(), body);
    expect(status).toBe(201);
    expect(order).toMatchObject({
      account_id,
      origin: 'initial',
      status: 'received.walk_in_test.ordered',
      events: [{ status: 'received.walk_in_test.ordered' }],
      replayed: false,
    });
    const { orders } = await app.sandbox.control.truthOrders();
    expect(orders.filter((each) => each.user_id === user_id)).toMatchObject([
      { id: order.order_id, order_transaction_id: order.order_transaction_id },
    ]);
    expect((await app.admin('GET', `/orders/${order.order_id}`, undefined, 'viewer')).status).toBe(200);
  });

  it('may name the upstream user instead, in either case', async () => {
    const { status, body: order } = await place(app, newId(), {
      ...body,
      account_id: undefined,
      user_id: user_id.toUpperCase(),
    });
    expect([status, order.account_id]).toEqual([201, account_id]);
  });

  it('reaches upstream unchanged, with our mark if it has no passthrough', async () => {
    const seen = async (order: string): Promise<Record<string, unknown>> => {
      const { messages } = await app.sandbox.control.messages({ user_id, event_type: 'labtest.order.created' });
      const events = await Promise.all(messages.map(({ id }) => app.sandbox.control.message(id)));
      const all = events.map((event) => JSON.parse(event.body) as { data: Record<string, unknown> });
      return all.find(({ data }) => data['id'] === order)?.data ?? {};
    };
    const more = { icd_codes: ['Z00.0'], priority: true, clinical_notes: 'fasting' };
    const own = await place(app, newId(), { ...body, ...more, passthrough: 'ref-1' });
    expect(await seen(own.body.order_id)).toMatchObject({ ...more, passthrough: 'ref-1' });
    const marked = await place(app, newId(), body);
    const placement = await placementOf(marked.body.order_id);
    expect(await seen(marked.body.order_id)).toMatchObject({
      patient_address: body['patient_address'],
      passthrough: `pulsekeep:${placement?.['call_id']}`,
    });
  });

  it('is the same for the same key and body, in any order of fields, without another call [orders#idempotency]', async () => {
    const key = newId();
    const first = await place(app, key, body);
    const again = await place(app, key, Object.fromEntries(Object.entries(body).reverse()));
    expect([again.status, again.body]).toEqual([first.status, { ...first.body, replayed: true }]);
    const { account_id: _, ...rest } = body;
    expect((await place(app, key, { ...rest, user_id })).body.order_id).toBe(first.body.order_id);
    expect(await calls()).toBe(1);
  });

  it('is another order with another key', async () => {
    const [first, second] = [await place(app, newId(), body), await place(app, newId(), body)];
    expect(second.body.order_id).not.toBe(first.body.order_id);
  });

  it('does not reveal its key', async () => {
    const key = newId();
    await place(app, key, body);
    const other = await place(app, key, { ...body, priority: true });
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reused']);
    expect(await calls()).toBe(1);
  });

  it('shows its current state when it is requested again', async () => {
    const key = newId();
    const { body: order } = await place(app, key, body);
    await app.sandbox.control.walkOrder(order.order_id, { to: 'requisition_created' });
    await app.settle();
    const again = await place(app, key, body);
    expect(again.body).toMatchObject({ status: 'received.walk_in_test.requisition_created', replayed: true });
  });
});

describe('an order that upstream refuses', () => {
  it('for its fields returns only their names, and its key accepts a corrected body', async () => {
    const key = newId();
    const refused = await place(app, key, { ...body, physician: { first_name: 'Marked', last_name: 'Marked' } });
    expect(refused).toMatchObject({ status: 422, body: { code: 'order_refused' } });
    expect(refused.body.errors.map(({ field }) => field)).toContain('physician.npi');
    expect(JSON.stringify(refused.body)).not.toContain('Marked');
    const placed = await place(app, key, body);
    expect([placed.status, placed.body.replayed]).toEqual([201, false]);
    expect(await calls()).toBe(2);
  });

  it('because its tests do not fit together may be corrected under its key [orders#choice-of-tests]', async () => {
    const key = newId();
    const { lab_tests } = await app.sandbox.control.labTests();
    const mixed = { ...body, order_set: { lab_test_ids: lab_tests.map(({ id }) => id) } };
    expect(await place(app, key, mixed)).toMatchObject({ status: 422, body: { code: 'order_refused' } });
    expect((await place(app, key, body)).status).toBe(201);
  });

  it('for an unknown field does not return the name of that field', async () => {
    const refused = await place(app, newId(), { ...body, Marked_Name: 'x' });
    expect(refused).toMatchObject({ status: 422, body: { code: 'order_refused', errors: [{ field: '*' }] } });
    expect(JSON.stringify(refused.body)).not.toContain('Marked_Name');
  });

  it('because it no longer knows the user is a conflict', async () => {
    await app.sandbox.control.eraseUser(user_id);
    expect(await place(app, newId(), body)).toMatchObject({ status: 409, body: { code: 'conflict' } });
  });
});

describe('a request to place an order', () => {
  it.each([
    [null, 'idempotency_key_required'],
    ['a b', 'invalid_request'],
    ['x'.repeat(256), 'invalid_request'],
  ])('with the key %s returns 400', async (key, code) => {
    expect(await place(app, key, body)).toMatchObject({ status: 400, body: { code } });
    expect(await calls()).toBe(0);
  });

  it.each<[string, (good: Record<string, unknown>) => unknown]>([
    ['account_id', (good) => ({ ...good, account_id: undefined })],
    ['account_id', (good) => ({ ...good, user_id: newId() })],
    ['account_id', (good) => ({ ...good, account_id: 7 })],
    ['user_id', (good) => ({ ...good, account_id: undefined, user_id: 'x' })],
    ['patient_details', (good) => ({ ...good, patient_details: undefined })],
    ['patient_details', (good) => ({ ...good, patient_details: [] })],
    ['patient_address', (good) => ({ ...good, patient_address: 'Marked' })],
    ['order_set', (good) => ({ ...good, order_set: undefined })],
    ['order_set.lab_test_ids', (good) => ({ ...good, order_set: { lab_test_ids: ['Marked'] } })],
    ['collection_method', (good) => ({ ...good, order_set: { add_on: { marker_ids: [1] } } })],
    ['physician', (good) => ({ ...good, physician: 'Marked' })],
    ['consents', (good) => ({ ...good, consents: {} })],
    ['activate_by', (good) => ({ ...good, activate_by: 'Marked' })],
    ['passthrough', (good) => ({ ...good, passthrough: 1 })],
    ['patient_details.first_name', within('patient_details', { first_name: 'Zoë-Marked' })],
    ['patient_details.last_name', within('patient_details', { last_name: 'M'.repeat(51) })],
    ['patient_details.last_name', within('patient_details', { last_name: 'two  Marked' })],
    ['patient_details.dob', within('patient_details', { dob: '1980-02-30' })],
    ['patient_details.dob', within('patient_details', { dob: undefined })],
    ['patient_details.gender', within('patient_details', { gender: undefined })],
    ['patient_details.email', within('patient_details', { email: 1 })],
    ['patient_address.zip', within('patient_address', { zip: '1000' })],
    ['patient_address.zip', within('patient_address', { zip: '10001-12' })],
    ['patient_address.state', within('patient_address', { state: '' })],
    ['patient_address.access_notes', within('patient_address', { access_notes: 'M'.repeat(1001) })],
  ])(
    'reports that %s is wrong, before anything is stored or called [orders#names-of-patients]',
    async (field, change) => {
      const before = await rows('SELECT COUNT(*) AS count FROM idempotency_keys');
      const answer = await place(app, newId(), change(body));
      expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
      expect(answer.body.errors.map((each) => each.field)).toContain(field);
      expect(JSON.stringify(answer.body)).not.toMatch(/Marked|MMM/);
      expect(await rows('SELECT COUNT(*) AS count FROM idempotency_keys')).toEqual(before);
      expect(await calls()).toBe(0);
    },
  );

  it('leaves checks to upstream that only it can make [orders#place-an-order]', async () => {
    const open = { ...body, patient_details: { ...(body['patient_details'] as object), gender: 'a-new-word' } };
    const answer = await place(app, newId(), open);
    expect(answer.body).toMatchObject({ code: 'order_refused', errors: [{ field: 'patient_details.gender' }] });
  });

  it('of more than 64 KiB is refused', async () => {
    const answer = await place(app, newId(), { ...body, clinical_notes: 'x'.repeat(66_000) });
    expect(answer).toMatchObject({ status: 413, body: { code: 'payload_too_large' } });
  });

  it('is for operators, and for known accounts', async () => {
    expect((await place(app, newId(), body, 'reader')).status).toBe(403);
    expect((await place(app, newId(), { ...body, account_id: newAccountId() })).status).toBe(404);
    expect((await place(app, newId(), { ...body, account_id: undefined, user_id: newId() })).status).toBe(404);
    expect(await calls()).toBe(0);
  });
});

function within(part: string, fields: object): (good: Record<string, unknown>) => unknown {
  return (good) => ({ ...good, [part]: { ...(good[part] as object), ...fields } });
}
