import { createHash } from 'node:crypto';
import { adminKeys, HOUR } from '../../support/environment.js';
import { OrdersWorld } from '../orders/support/orders-world.js';

let world: OrdersWorld;

beforeEach(async () => {
  world = await OrdersWorld.open();
});

afterEach(() => world.close());

const versions = (): Promise<unknown[]> =>
  world.rows('SELECT scope, version, status, source FROM lab_results ORDER BY scope, version');

describe('the result of an order', () => {
  it('is read from upstream, stored and shown with its version and checksum [results#the-result]', async () => {
    const order = await world.place(await world.user());
    const { status, headers, body } = await world.result(order);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      order_id: order.id,
      status: 'final',
      version: 1,
      stale: false,
      first_seen_at: '2026-11-20T12:00:00.000Z',
      last_confirmed_at: '2026-11-20T12:00:00.000Z',
      metadata: { status: 'final', patient: 'Sample Patient' },
      missing_results: [],
      sample_information: {},
      extra: {},
      order_transaction: { order_transaction_id: order.transaction, status: 'completed' },
      versions: [{ version: 1, status: 'final', checksum: body.checksum, source: 'read' }],
      pdf_versions: [],
    });
    expect(body.results.length).toBeGreaterThan(0);
    expect(headers).toMatchObject({ 'cache-control': 'no-store', etag: `W/"1-${body.checksum}"` });
    const [row] = await world.rows('SELECT content, checksum, bytes, account_id FROM lab_results');
    expect(createHash('sha256').update(String(row?.['content'])).digest('hex')).toBe(row?.['checksum']);
    expect(row?.['account_id']).not.toBeNull();
  });

  it('is stored once however often it is read; the last read confirms it', async () => {
    const order = await world.place(await world.user());
    const first = await world.result(order);
    await world.advance(3_600);
    const again = await world.result(order);
    expect(again.body).toEqual({
      ...first.body,
      last_confirmed_at: '2026-11-20T13:00:00.000Z',
      versions: [{ ...first.body.versions[0], last_confirmed_at: '2026-11-20T13:00:00.000Z' }],
    });
    expect(await versions()).toHaveLength(1);
  });

  it('gets a new version when it is corrected, and the old one stays', async () => {
    const order = await world.place(await world.user());
    const first = await world.result(order);
    await world.advance(3_600);
    await world.control.setOrderStatus(order.id, 'corrected', { notify: false });
    const corrected = await world.result(order);
    expect(corrected.body).toMatchObject({ version: 2, first_seen_at: '2026-11-20T13:00:00.000Z' });
    expect(corrected.body.results).not.toEqual(first.body.results);
    expect(corrected.body.versions.map((each) => each.version)).toEqual([2, 1]);
    const old = await world.result(order, '?version=1');
    const { results, metadata, checksum } = first.body;
    expect(old.body).toMatchObject({ version: 1, results, metadata, checksum, stale: true });
  });

  it('says what changed between its versions, with values for those who may read them', async () => {
    const order = await world.place(await world.user());
    const values = [
      { name: 'Potassium', result: '5.1', unit: 'mmol/L' },
      { name: 'Potassium', result: '6.2', unit: 'mmol/L' },
    ];
    for (const value of values) {
      await world.control.setResult(order.id, { results: [value] });
      await world.result(order);
      await world.combined(order);
    }
    const paths = [`orders/${order.id}`, `order-transactions/${order.transaction}`];
    const asked = async (path: string, token: string): Promise<unknown> =>
      (await world.send(`GET /admin/v1/${path}/result/changes`, token)).body;
    const change = { name: 'Potassium', change: 'changed', direction: 'higher' };
    for (const path of paths) {
      const read = { ...change, before: { result: '5.1' }, after: { result: '6.2' } };
      const first = { version: 1, changes: [] };
      expect(await asked(path, adminKeys.reader)).toMatchObject({ data: [{ version: 2, changes: [read] }, first] });
      const hidden = { ...change, name: null, sample_id: null, before: null, after: null };
      expect(await asked(path, adminKeys.viewer)).toMatchObject({ data: [{ version: 2, changes: [hidden] }, first] });
    }
    const unknown = '00000000-0000-4000-8000-0000000000ff';
    expect((await world.send(`GET /admin/v1/orders/${unknown}/result/changes`)).status).toBe(404);
  });

  it('gets a new version although the stored one was read while the clock was hours ahead', async () => {
    const order = await world.place(await world.user());
    world.service.clock.step(6 * HOUR);
    await world.result(order);
    world.service.clock.step(-6 * HOUR);
    await world.control.setOrderStatus(order.id, 'corrected', { notify: false });
    expect((await world.result(order)).body).toMatchObject({ version: 2 });
  });

  it('gets a new version when upstream returns to an earlier content', async () => {
    const order = await world.place(await world.user());
    const first = await world.result(order);
    await world.control.setResult(order.id, { metadata: { provider: 'Other' } });
    await world.result(order);
    await world.control.setResult(order.id, { metadata: {} });
    const back = await world.result(order);
    expect(back.body).toMatchObject({ version: 3, checksum: first.body.checksum });
  });

  it('is partial until it is final', async () => {
    const order = await world.place(await world.user(), 'partial_results');
    const partial = await world.result(order);
    expect(partial.body).toMatchObject({ status: 'partial', version: 1 });
    await world.control.walkOrder(order.id);
    const final = await world.result(order);
    expect(final.body).toMatchObject({ status: 'final', version: 2 });
    expect(final.body.versions.map((each) => each.status)).toEqual(['final', 'partial']);
  });

  it('is never final with an unknown status [results#partial-or-final]', async () => {
    const order = await world.place(await world.user());
    await world.control.setResult(order.id, { metadata: { status: 'preliminary' } });
    expect((await world.result(order)).body).toMatchObject({ status: 'partial', metadata: { status: 'preliminary' } });
  });

  it('keeps missing markers [results#missing-results]', async () => {
    const order = await world.place(await world.user());
    await world.control.setResult(order.id, { missing: true });
    expect((await world.result(order)).body.missing_results).toMatchObject([
      { inferred_failure_type: 'quantity_not_sufficient_failure' },
    ]);
  });

  it('keeps a legacy free object and unknown fields [results#biomarkers]', async () => {
    const order = await world.place(await world.user());
    const samples = { S1: { sample_id: 'S1', date_collected: { timestamp: '2026-11-20', timezone_offset: 0 } } };
    const over = { results: { GLU: { value: 5.1 } }, fields: { addendum: ['x'], sample_information: samples } };
    await world.control.setResult(order.id, over);
    expect((await world.result(order)).body).toMatchObject({
      results: { GLU: { value: 5.1 } },
      extra: { addendum: ['x'] },
      sample_information: samples,
    });
  });

  it('is 304 for a caller that has it, unless upstream did not confirm it', async () => {
    const order = await world.place(await world.user());
    const { headers } = await world.result(order);
    const ask = async (etag: unknown): Promise<unknown> =>
      world.service.pulsekeep.app.inject({
        url: `/admin/v1/orders/${order.id}/result`,
        headers: { authorization: `Bearer ${adminKeys.reader}`, 'if-none-match': String(etag) },
      });
    expect(await ask(headers['etag'])).toMatchObject({ statusCode: 304, body: '' });
    expect(await ask('W/"1-other"')).toMatchObject({ statusCode: 200 });
    await world.fails(503);
    expect(await ask(headers['etag'])).toMatchObject({ statusCode: 200 });
  });

  it('updates the state of the stored transaction', async () => {
    const order = await world.place(await world.user(), 'ordered');
    await world.walkList();
    await world.control.walkOrder(order.id);
    await world.result(order);
    expect(await world.rows('SELECT status FROM order_transactions')).toEqual([{ status: 'completed' }]);
  });
});

describe('the result of a transaction', () => {
  it('combines those of its orders [orders#order-transactions] [results#the-result]', async () => {
    const order = await world.place(await world.user(), 'requisition_created');
    const { redraw } = await world.control.redraw(order.id, { notify: false });
    const first = await world.combined(order);
    expect(first.body).toMatchObject({ order_transaction_id: order.transaction, status: 'partial', version: 1 });
    await world.control.walkOrder(redraw.id);
    const whole = await world.combined(order);
    expect(whole.body).toMatchObject({ status: 'final', version: 2, order_transaction: { status: 'completed' } });
    expect(whole.body.results.length).toBeGreaterThan(first.body.results.length);
    expect(whole.body).not.toHaveProperty('order_id');
  });

  it('is separate from the results of its orders', async () => {
    const order = await world.place(await world.user());
    await world.result(order);
    await world.combined(order);
    expect(await versions()).toMatchObject([{ scope: 'order' }, { scope: 'transaction' }]);
  });

  it('is refused when its orders belong to several accounts', async () => {
    const order = await world.place(await world.user());
    await world.user('bob');
    await world.combined(order);
    await world.service.store.lane.run((tx) =>
      tx.execute(
        `INSERT INTO orders (order_id, account_id, order_transaction_id, created_at, version, observed_at, stored_at)
         VALUES ('other', (SELECT id FROM accounts WHERE account_id = 'bob'), ?, 1, 1, 1, 1)`,
        [order.transaction],
      ),
    );
    expect(await world.combined(order)).toMatchObject({ status: 409, body: { code: 'conflict' } });
  });
});

describe('simultaneous readers', () => {
  it('store one version', async () => {
    const order = await world.place(await world.user());
    const other = await world.service.another();
    const ask = (service = world.service): Promise<{ status: number }> =>
      service.send(`GET /admin/v1/orders/${order.id}/result`, { token: adminKeys.reader });
    const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => ask(i % 2 ? other : world.service)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(await versions()).toMatchObject([{ scope: 'order', version: 1 }]);
  });
});

it('no value of a result is in the log or in a figure', async () => {
  const order = await world.place(await world.user());
  await world.control.setResult(order.id, {
    results: { mark: 'MARKED' },
    metadata: { patient: 'MARKED', interpretation: 'MARKED' },
    fields: { MARKED: 'MARKED' },
  });
  await world.result(order);
  await world.combined(order);
  await world.fails(503);
  await world.result(order);
  const shown = [...world.service.logs, await world.service.figures()].join('\n');
  expect(shown).toContain('order.result_stored');
  expect(shown).not.toContain('MARKED');
});

const nowhere = '00000000-0000-4000-8000-000000000000';

describe('the owner of a result', () => {
  it('is found by adopting an unknown order and its user', async () => {
    const { users } = await world.control.createUsers({ client_user_id: 'stranger' });
    const order = await world.place(users[0]?.user_id ?? '');
    expect((await world.result(order)).status).toBe(200);
    expect(await world.rows('SELECT a.account_id FROM lab_results r JOIN accounts a ON a.id = r.account_id')).toEqual([
      { account_id: 'stranger' },
    ]);
  });

  it('is found for an unknown transaction', async () => {
    const order = await world.place(await world.user());
    expect((await world.combined(order)).status).toBe(200);
    expect(await world.rows('SELECT order_id FROM orders')).toEqual([{ order_id: order.id }]);
  });

  it('must be one of our accounts before it is shown', async () => {
    const { users } = await world.control.createUsers({ client_user_id: 'gone' });
    const order = await world.place(users[0]?.user_id ?? '');
    await world.control.eraseUser(users[0]?.user_id ?? '');
    expect(await world.result(order)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(await versions()).toEqual([]);
  });

  it('is read from upstream before an unverified claim is trusted', async () => {
    const order = await world.place(await world.user());
    await world.user('bob');
    await world.fails(503);
    const pair = { account_id: 'bob', order_id: order.id, order_transaction_id: order.transaction };
    expect((await world.send('POST /admin/v1/orders', adminKeys.operator, pair)).status).toBe(201);
    expect((await world.result(order)).body.code).toBe('upstream_unavailable');
    await world.control.clearFaults();
    await world.result(order);
    expect(await world.rows('SELECT a.account_id FROM lab_results r JOIN accounts a ON a.id = r.account_id')).toEqual([
      { account_id: 'ann' },
    ]);
  });

  it.each([
    ['another user', { user_id: nowhere }],
    ['another transaction', { order_transaction: { id: nowhere, status: 'active', orders: [] } }],
  ])('is not that of %s, whose response is neither shown nor stored', async (_, fields) => {
    const order = await world.place(await world.user());
    await world.control.setResult(order.id, { fields });
    const { status, body } = await world.result(order);
    expect([status, body.code]).toEqual([502, 'upstream_contract']);
    expect((await world.combined(order)).status).toBe(502);
    expect(await versions()).toEqual([]);
    expect(world.service.logs.some((line) => line.includes('order.result_refused'))).toBe(true);
  });

  it('is not that of an order outside its transaction', async () => {
    const order = await world.place(await world.user());
    const others = { id: order.transaction, status: 'active', orders: [{ id: nowhere }] };
    await world.control.setResult(order.id, { fields: { order_transaction: others } });
    expect((await world.result(order)).status).toBe(502);
  });

  it('is unknown while the account is being erased', async () => {
    const order = await world.place(await world.user());
    await world.result(order);
    await world.service.store.lane.run((tx) => tx.execute(`UPDATE accounts SET status = 'erasing'`));
    expect((await world.result(order)).status).toBe(404);
    expect((await world.result(order, '?version=1')).status).toBe(404);
  });

  it('is for readers only', async () => {
    const order = await world.place(await world.user());
    expect((await world.result(order, '', adminKeys.viewer)).status).toBe(403);
    expect((await world.send(`GET /admin/v1/orders/${order.id}/result/pdf`, adminKeys.viewer)).status).toBe(403);
  });
});

describe('while upstream fails', () => {
  it.each([503, 500, 429])('with %i, the last result is shown as stale', async (status) => {
    const order = await world.place(await world.user());
    const fresh = await world.result(order);
    await world.advance(60);
    await world.fails(status);
    const stale = await world.result(order);
    expect(stale).toMatchObject({ status: 200, body: { ...fresh.body, stale: true } });
  });

  it('the failure is returned if nothing is stored', async () => {
    const order = await world.place(await world.user());
    await world.walkList();
    await world.fails(503);
    expect(await world.result(order)).toMatchObject({ status: 503, body: { code: 'upstream_unavailable' } });
    expect(await world.combined(order)).toMatchObject({ status: 503, body: { code: 'upstream_unavailable' } });
    expect(await versions()).toEqual([]);
  });

  it('an unreadable response counts as missing', async () => {
    const order = await world.place(await world.user());
    await world.result(order);
    await world.control.fault({ kind: 'bad_json', path: '/v3/' });
    expect(await world.result(order)).toMatchObject({ status: 200, body: { stale: true } });
  });

  it('a partial result stays partial', async () => {
    const order = await world.place(await world.user(), 'partial_results');
    await world.result(order);
    await world.fails(503);
    expect((await world.result(order)).body).toMatchObject({ status: 'partial', stale: true });
  });

  it('a stored version is read without upstream', async () => {
    const order = await world.place(await world.user());
    const { body } = await world.result(order);
    await world.fails(503);
    expect((await world.result(order, '?version=1')).body).toMatchObject({ checksum: body.checksum });
  });

  it('a refusal is not hidden by a stored result', async () => {
    const order = await world.place(await world.user());
    await world.result(order);
    await world.fails(403);
    expect(await world.result(order)).toMatchObject({ status: 502, body: { code: 'upstream_rejected' } });
  });
});

describe('a missing result', () => {
  it('is not ready, for the order and for the transaction [results#before-there-are-results]', async () => {
    const order = await world.place(await world.user(), 'ordered');
    expect(await world.result(order)).toMatchObject({ status: 404, body: { code: 'result_not_ready' } });
    expect(await world.combined(order)).toMatchObject({ status: 404, body: { code: 'result_not_ready' } });
    expect(await versions()).toEqual([]);
  });

  it.each([
    [404, `GET /admin/v1/orders/${nowhere}/result`],
    [404, `GET /admin/v1/order-transactions/${nowhere}/result`],
    [400, 'GET /admin/v1/orders/no-uuid/result'],
    [404, `GET /admin/v1/orders/${nowhere}/result/pdf`],
    [400, 'GET /admin/v1/order-transactions/no-uuid/result/pdf'],
    [400, `GET /admin/v1/orders/${nowhere}/result?version=0`],
    [400, `GET /admin/v1/orders/${nowhere}/result?colour=red`],
  ])('returns %i for %s', async (status, line) => {
    expect((await world.send(line)).status).toBe(status);
  });

  it('is not found by a version that was never stored', async () => {
    const order = await world.place(await world.user());
    await world.result(order);
    expect(await world.result(order, '?version=2')).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });
});
